// Highlighting rules of @speed-highlight/core 2.1.0 (CC0, see languages.license), one constant for each language.

let
	nameStartChar = ":A-Z_a-z\u{C0}-\u{D6}\u{D8}-\u{F6}\u{F8}-\u{2FF}\u{370}-\u{37D}\u{37F}-\u{1FFF}\u{200C}-\u{200D}\u{2070}-\u{218F}\u{2C00}-\u{2FEF}\u{3001}-\u{D7FF}\u{F900}-\u{FDCF}\u{FDF0}-\u{FFFD}",
	nameChar = nameStartChar + "\\-\\.0-9\u{B7}\u{0300}-\u{036F}\u{203F}-\u{2040}";
let
	name = `[${nameStartChar}][${nameChar}]*`,
	properties = `(\\s+${name}\\s*(=\\s*([^"'>\\s][^>\\s]*|("|')(\\\\[^]|(?!\\4)[^])*\\4?)?)?)*\\s*`,
	xmlElement = {
		match: RegExp(`<[\/!?]?${name}${properties}[\/!?]?>`, 'g'),
		sub: [
			{
				type: 'var',
				match: RegExp(`^<[\/!?]?${name}`, 'g'),
				sub: [
					{
						type: 'oper',
						match: /^<[\/!?]?/g
					}
				]
			},
			{
				type: 'str',
				match: /=\s*([^"'>\s][^>\s]*|("|')(\\[^]|(?!\2)[^])*\2?)/g,
				sub: [
					{
						type: 'oper',
						match: /^=/g
					}
				]
			},
			{
				type: 'oper',
				match: /[\/!?]?>/g
			},
			{
				type: 'class',
				match: RegExp(name, 'g')
			}
		]
	};

export const xml = [
	{
		match: /<!--[^]*?-->/g,
		type: 'cmnt',
		sub: 'todo'
	},
	{
		type: 'class',
		match: /<!\[CDATA\[[\s\S]*?\]\]>/gi
	},
	xmlElement,
	{
		type: 'str',
		match: RegExp(`<\\?${name}([^?]|\\?[^?>])*\\?+>`, 'g'),
		sub: [
			{
				type: 'var',
				match: RegExp(`^<\\?${name}`, 'g'),
				sub: [
					{
						type: 'oper',
						match: /^<\?/g
					}
				]
			},
			{
				type: 'oper',
				match: /\?+>$/g
			}
		]
	},
	{
		type: 'var',
		match: /&(#x?)?[\da-z]{1,8};/gi
	}
];

export const js = [
	{
		match: /(("|')((?!\2)[^\r\n\\]|\\[^])*\2|[a-zA-Z]\w*)(?=\s*:)/g
	},
	{
		match: /\/\*\*((?!\*\/)[^])*(\*\/)?/g,
		type: 'cmnt',
		sub: 'jsdoc'
	},
	{
		match: /\/\/.*\n?|\/\*((?!\*\/)[^])*(\*\/)?/g,
		type: 'cmnt',
		sub: 'todo'
	},
	{
		expand: 'str'
	},
	{
		match: /`((?!`)[^]|\\[^])*`?/g,
		type: 'str',
		sub: [
			{
				match: new class {
					exec(str) {
						let i = this.lastIndex,
							j,
							f = _ => {
								while (++i < str.length - 2)
									if (str[i] == '{') f();
									else if (str[i] == '}') return;
							};
						for (; i < str.length; ++i)
							if (str[i - 1] != '\\' && str[i] == '$' && str[i + 1] == '{') {
								j = i++;
								f(i);
								this.lastIndex = i + 1;
								return { index: j, 0: str.slice(j, i + 1) };
							}
						return null;
					}
				}(),
				sub: [
					{
						type: 'kwd',
						match: /^\${|}$/g
					},
					{
						match: /(?!^\$|{)[^]+(?=}$)/g,
						sub: 'js'
					}
				]
			}
		]
	},
	{
		type: 'kwd',
		match: /=>|(?<![^.]\.)\b(this|set|get|as|async|await|break|case|catch|class|const|constructor|continue|debugger|default|delete|do|else|enum|export|extends|finally|for|from|function|if|implements|import|in|instanceof|interface|let|var|of|new|package|private|protected|public|return|static|super|switch|throw|throws|try|typeof|void|while|with|yield)\b/g
	},
	{
		match: /(?<=[^\w$)\]'"`\s]\s*|\b(case|do|else|in|instanceof|new|of|return|throw|typeof|void|yield|await)\s+|^\s*)\/((?!\/)[^\r\n\\]|\\.)+\/\w*/gm,
		type: 'oper',
		sub: 'regex'
	},
	{
		expand: 'num'
	},
	{
		type: 'num',
		match: /\b(NaN|null|undefined|[A-Z][A-Z_]*)\b/g
	},
	{
		type: 'bool',
		match: /\b(true|false)\b/g
	},
	{
		type: 'var',
		match: /#[\w$]+/g
	},
	{
		type: 'oper',
		match: /[/*+:?&|%^~=!,<>.^-]+/g
	},
	{
		type: 'class',
		match: /\b[A-Z][\w_]*\b/g
	},
	{
		type: 'func',
		match: /[a-zA-Z$_][\w$_]*(?=\s*((\?\.)?\s*\(|=\s*(\(?[\w,{}\[\])]+\)? =>|function\b)))/g
	}
];

let variable = {
	type: 'var',
	match: /\$\w+|\${[^}]*}|\$\([^)]*\)/g
};

export const bash = [
	{
		type: 'cmnt',
		sub: 'todo',
		match: /#.*/g
	},
	{
		type: 'str',
		match: /(["'])((?!\1)[^\r\n\\]|\\[^])*\1?/g,
		sub: [ variable ]
	},
	{
		type: "oper",
		match: /(?<=\s|^)\.*\/[a-z/_.-]+/gi,
	},
	{
		type: 'kwd',
		match: /\s-[a-zA-Z]+|[&|;]+|\b(unset|readonly|shift|export|if|fi|else|elif|while|do|done|for|until|case|esac|break|continue|exit|return|trap|wait|eval|exec|then|declare|enable|local|select|typeset|time|add|remove|install|update|delete)(?=\s|$)/g
	},
	{
		expand: 'num'
	},
	{
		type: 'func',
		match: /(?<=(^|\||\&\&|\;)\s*)[a-z_.-]+(?=\s|$)/gmi
	},
	{
		type: 'bool',
		match: /(?<=\s|^)(true|false)(?=\s|$)/g
	},
	{
		type: 'oper',
		match: /[=(){}<>!]+/g
	},
	{
		type: 'var',
		match: /(?<=\s|^)[\w_]+(?=\s*=)/g
	},
	variable
];

export const c = [
	{
		match: /\/\/.*\n?|\/\*((?!\*\/)[^])*(\*\/)?/g,
		type: 'cmnt',
		sub: 'todo'
	},
	{
		expand: 'str'
	},
	{
		expand: 'num'
	},
	{
		type: 'kwd',
		match: /#\s*include (<.*>|".*")/g,
		sub: [
			{
				type: 'str',
				match: /(<|").*/g
			}
		]
	},
	{
		match: /asm\s*{[^}]*}/g,
		sub: [
			{
				type: 'kwd',
				match: /^asm/g
			},
			{
				match: /[^{}]*(?=}$)/g,
				sub: 'asm'
			}
		]
	},
	{
		type: 'kwd',
		match: /\*|&|#[a-z]+\b|\b(asm|auto|double|int|struct|break|else|long|switch|case|enum|register|typedef|char|extern|return|union|const|float|short|unsigned|continue|for|signed|void|default|goto|sizeof|volatile|do|if|static|while)\b/g
	},
	{
		type: 'oper',
		match: /[/*+:?&|%^~=!,<>.^-]+/g
	},
	{
		type: 'func',
		match: /[a-zA-Z_][\w_]*(?=\s*\()/g
	},
	{
		type: 'class',
		match: /\b[A-Z][\w_]*\b/g
	}
];

export const css = [
	{
		match: /\/\*((?!\*\/)[^])*(\*\/)?/g,
		type: 'cmnt',
		sub: 'todo'
	},
	{
		expand: 'str'
	},
	{
		type: 'var',
		match: /--[\w-]+|\b[\w-]+(?=\s*:)/g
	},
	{
		type: 'kwd',
		match: /@[\w-]+\b|!important\b|\b(and|not|only|or)\b|\b(?=([a-z-]+))\2(?=[^{}]*{)/g
	},
	{
		type: 'var',
		match: /(::?|\.)(?!\d)[\w-]+(?=[^{}]*{)/g
	},
	{
		type: 'func',
		match: /#[\w-]+(?=[^{}]*{)/g
	},
	{
		type: 'num',
		match:  /#[\da-f]{3,8}/gi
	},
	{
		type: 'num',
		match: /-?\d*\.?\d+([a-z]+|%)?/gi,
		sub: [
			{
				type: 'var',
				match: /[a-z]+|%/gi
			}
		]
	},
	{
		match: /url\([^)]*\)/g,
		sub: [
			{
				type: 'func',
				match: /url(?=\()/g
			},
			{
				type: 'str',
				match: /[^()]+/g
			}
		]
	},
	{
		type: 'func',
		match: /\b[a-zA-Z][\w-]*(?=\s*\()/g
	},
	{
		type: 'num',
		match: /\b[a-z-]+\b/g
	}
];

export const diff = [
	{
		type: 'deleted',
		match: /^[-<].*/gm
	},
	{
		type: 'insert',
		match: /^[+>].*/gm
	},
	{
		type: 'kwd',
		match: /!.*/gm
	},
	{
		type: 'section',
		match: /^@@.*@@$|^\d.*|^([*+-])\1\1.*/gm
	}
];

export const docker = [
	{
		type: 'kwd',
		match: /^(FROM|RUN|CMD|LABEL|MAINTAINER|EXPOSE|ENV|ADD|COPY|ENTRYPOINT|VOLUME|USER|WORKDIR|ARG|ONBUILD|STOPSIGNAL|HEALTHCHECK|SHELL)\b/gmi
	},
	...bash
];

export const go = [
	{
		match: /\/\/.*\n?|\/\*((?!\*\/)[^])*(\*\/)?/g,
		type: 'cmnt',
		sub: 'todo'
	},
	{
		type: 'str',
		match: /`[^`]*`?/g
	},
	{
		expand: 'str'
	},
	{
		expand: 'num'
	},
	{
		type: 'kwd',
		match: /\*|&|\b(break|case|chan|const|continue|default|defer|else|fallthrough|for|func|go|goto|if|import|interface|map|package|range|return|select|struct|switch|type|var)\b/g
	},
	{
		type: 'func',
		match: /[a-zA-Z_][\w_]*(?=\s*\()/g
	},
	{
		type: 'class',
		match: /\b[A-Z][\w_]*\b/g
	},
	{
		type: 'oper',
		match: /:=|[+\-*\/%&|^~=!<>.^-]+/g
	}
];

let
	attribute = (name, sub) => ({
		type: 'str',
		match: RegExp(`(?<=\\s${name}\\s*)=\\s*('[^']*'|"[^"]*")`, 'gi'),
		sub: [
			{
				type: 'oper',
				match: /^=/g
			},
			{
				match: /(?<=['"])[^]+(?=['"]$)/g,
				sub
			}
		]
	}),
	htmlElement = {
		...xmlElement,
		sub: [
			attribute('style', 'css'),
			attribute('on\\w+', 'js'),
			...xmlElement.sub
		]
	};

export const html = [
	{
		type: 'class',
		match: /<!DOCTYPE("[^"]*"|'[^']*'|[^"'>])*>/gi,
		sub: [
			{
				type: 'str',
				match: /"[^"]*"|'[^']*'/g
			},
			{
				type: 'oper',
				match: /^<!|>$/g
			},
			{
				type: 'var',
				match: /DOCTYPE/gi
			}
		]
	},
	{
		match: RegExp(`<style${properties}>[^]*?</style\\s*>`, 'g'),
		sub: [
			{
				match: RegExp(`^<style${properties}>`, 'g'),
				sub: htmlElement.sub
			},
			{
				match: /[^]*(?=<\/style\s*>$)/g,
				sub: 'css'
			},
			htmlElement
		]
	},
	{
		match: RegExp(`<script${properties}>[^]*?</script\\s*>`, 'g'),
		sub: [
			{
				match: RegExp(`^<script${properties}>`, 'g'),
				sub: htmlElement.sub
			},
			{
				match: /[^]*(?=<\/script\s*>$)/g,
				sub: 'js'
			},
			htmlElement
		]
	},
	...xml.map(rule => rule === xmlElement ? htmlElement : rule)
];

export const ini = [
	{
		match: /(^[ \f\t\v]*)[#;].*/gm,
		type: 'cmnt',
		sub: 'todo'
	},
	{
		type: 'var',
		match: /.*(?==)/g
	},
	{
		type: 'section',
		match: /^\s*\[.+\]\s*$/gm
	},
	{
		type: 'oper',
		match: /=/g
	},
	{
		type: 'str',
		match: /.*/g
	},
];

export const java = [
	{
		match: /\/\/.*\n?|\/\*((?!\*\/)[^])*(\*\/)?/g,
		type: 'cmnt',
		sub: 'todo'
	},
	{
		type: 'str',
		match: /"""(\\[^]|(?!""")[^])*(""")?/g
	},
	{
		expand: 'str'
	},
	{
		expand: 'num'
	},
	{
		type: 'kwd',
		match: /\b(abstract|assert|boolean|break|byte|case|catch|char|class|continue|const|default|do|double|else|enum|exports|extends|final|finally|float|for|goto|if|implements|import|instanceof|int|interface|long|module|native|new|package|private|protected|public|requires|return|short|static|strictfp|super|switch|synchronized|this|throw|throws|transient|try|var|void|volatile|while)\b/g
	},
	{
		type: 'oper',
		match: /[/*+:?&|%^~=!,<>.^-]+/g
	},
	{
		type: 'func',
		match: /[a-zA-Z_][\w_]*(?=\s*\()/g
	},
	{
		type: 'class',
		match: /\b[A-Z][\w_]*\b/g
	}
];

export const json = [
	{
		type: 'var',
		match: /(("|')((?!\2)[^\r\n\\]|\\[^])*\2|[a-zA-Z]\w*)(?=\s*:)/g
	},
	{
		expand: 'str'
	},
	{
		expand: 'num'
	},
	{
		type: 'num',
		match: /\bnull\b/g
	},
	{
		type: 'bool',
		match: /\b(true|false)\b/g
	}
];

export const lua = [
	{
		match: /^#!.*|--(\[(=*)\[[^]*?\]\2\]|.*)/g,
		type: 'cmnt',
		sub: 'todo'
	},
	{
		expand: 'str'
	},
	{
		type: 'kwd',
		match: /\b(and|break|do|else|elseif|end|for|function|if|in|local|not|or|repeat|return|then|until|while)\b/g
	},
	{
		type: 'bool',
		match: /\b(true|false|nil)\b/g
	},
	{
		type: 'oper',
		match: /[+*/%^#=~<>:,.-]+/g
	},
	{
		expand: 'num'
	},
	{
		type: 'func',
		match: /[a-z_]+(?=\s*[({])/g
	}
];

export const make = [
	{
		match: /^\s*#.*/gm,
		type: 'cmnt',
		sub: 'todo'
	},
	{
		expand: 'str'
	},
	{
		type: 'oper',
		match: /[${}()]+/g
	},
	{
		type: 'class',
		match: /.PHONY:/gm
	},
	{
		type: 'section',
		match: /^[\w.]+:/gm
	},
	{
		type: 'kwd',
		match: /\b(ifneq|endif)\b/g
	},
	{
		expand: 'num'
	},
	{
		type: 'var',
		match: /[A-Z_]+(?=\s*=)/g
	},
	{
		match: /^.*$/gm,
		sub: 'bash'
	}
];

export const md = [
	{
		type: 'cmnt',
		match: /^>.*|^[ \t]*(=+|-{2,})[ \t]*$/gm
	},
	{
		type: 'section',
		match: /^#{1,6}[ \t]/gm
	},
	{
		type: 'class',
		match: /\*\*.*?\*\*/g
	},
	{
		match: /^(`{3,}).*\n[^]*?^\1[ \t]*$/gm,
		sub: code => ({
			type: 'kwd',
			sub: [
				{
					match: /\n[^]*(?=```)/g,
					sub: code.split('\n')[0].slice(3) || []
				}
			]
		})
	},
	{
		type: 'str',
		match: /`[^`\n]*`/g
	},
	{
		type: 'var',
		match: /~~.*?~~/g
	},
	{
		type: 'kwd',
		match: /\b_\S(.*?\S)?_\b|\*\S(.*?\S)?\*|^[ \t]*([*+-]|\d+[.)])([ \t]|$)/gm
	},
	{
		type: 'func',
		match: /\[[^\]]*]\([^)]*\)|<[^>]*>/g,
		sub: [
			{
				type: 'oper',
				match: /^\[[^\]]*]/g
			}
		]
	}
];

export const pl = [
	{
		match: /#.*/g,
		type: 'cmnt',
		sub: 'todo'
	},
	{
		type: 'str',
		match: /(["'])(\\[^]|(?!\1)[^])*\1?/g
	},
	{
		expand: 'num'
	},
	{
		type: 'kwd',
		match: /\b(any|break|continue|default|delete|die|do|else|elsif|eval|for|foreach|given|goto|if|last|local|my|next|our|package|print|redo|require|return|say|state|sub|switch|undef|unless|until|use|when|while|not|and|or|xor)\b/g
	},
	{
		type: 'oper',
		match: /[-+*/%~!&<>|=?,]+/g
	},
	{
		type: 'func',
		match: /[a-z_]+(?=\s*\()/g
	}
];

export const py = [
	{
		match: /#.*/g,
		type: 'cmnt',
		sub: 'todo'
	},
	{
		type: 'str',
		match: /f("""|''')(\\[^]|(?!\1)[^])*\1?|f("|')(\\[^]|(?!\3).)*\3?/gi,
		sub: [
			{
				type: 'var',
				match: /{[^{}]*}/g,
				sub: [
					{
						match: /(?!^{)[^]*(?=}$)/g,
						sub: 'py'
					}
				]
			}
		]
	},
	{
		match: /("""|''')(\\[^]|(?!\1)[^])*\1?/g,
		type: 'cmnt',
		sub: 'todo'
	},
	{
		expand: 'str'
	},
	{
		type: 'kwd',
		match: /\b(and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield)\b/g
	},
	{
		type: 'bool',
		match: /\b(False|True|None)\b/g
	},
	{
		expand: 'num'
	},
	{
		type: 'func',
		match: /[a-z_]\w*(?=\s*\()/gi
	},
	{
		type: 'oper',
		match: /[-/*+<>,=!&|^%]+/g
	},
	{
		type: 'class',
		match: /\b[A-Z][\w_]*\b/g
	}
];

export const rs = [
	{
		match: /\/\/.*\n?|\/\*((?!\*\/)[^])*(\*\/)?/g,
		type: 'cmnt',
		sub: 'todo'
	},
	{
		type: 'type',
		match: /'[a-z_]\w*(?!')/g
	},
	{
		expand: 'str'
	},
	{
		expand: 'num'
	},
	{
		type: 'kwd',
		match: /\b(as|break|const|continue|crate|else|enum|extern|false|fn|for|if|impl|in|let|loop|match|mod|move|mut|pub|ref|return|self|Self|static|struct|super|trait|true|type|unsafe|use|where|while|async|await|dyn|abstract|become|box|do|final|macro|override|priv|typeof|unsized|virtual|yield|try)\b/g
	},
	{
		type: 'oper',
		match: /[/*+:?&|%^~=!,<>.^-]+/g
	},
	{
		type: 'class',
		match: /\b[A-Z][\w_]*\b/g
	},
	{
		type: 'func',
		match: /[a-zA-Z_][\w_]*(?=\s*!?\s*\()/g
	}
];

export const sql = [
	{
		match: /--.*\n?|\/\*((?!\*\/)[^])*(\*\/)?/g,
		type: 'cmnt',
		sub: 'todo',
	},
	{
		expand: 'str'
	},
	{
		type: 'func',
		match: /\b(AVG|COUNT|FIRST|FORMAT|LAST|LCASE|LEN|MAX|MID|MIN|MOD|NOW|ROUND|SUM|UCASE)(?=\s*\()/gi
	},
	{
		type: 'kwd',
		match: /\b(ACTION|ADD|AFTER|ALGORITHM|ALL|ALTER|ANALYZE|ANY|APPLY|AS|ASC|AUTHORIZATION|AUTO_INCREMENT|BACKUP|BDB|BEGIN|BERKELEYDB|BIGINT|BINARY|BIT|BLOB|BOOL|BOOLEAN|BREAK|BROWSE|BTREE|BULK|BY|CALL|CASCADED?|CASE|CHAIN|CHAR(?:ACTER|SET)?|CHECK(?:POINT)?|CLOSE|CLUSTERED|COALESCE|COLLATE|COLUMNS?|COMMENT|COMMIT(?:TED)?|COMPUTE|CONNECT|CONSISTENT|CONSTRAINT|CONTAINS(?:TABLE)?|CONTINUE|CONVERT|CREATE|CROSS|CURRENT(?:_DATE|_TIME|_TIMESTAMP|_USER)?|CURSOR|CYCLE|DATA(?:BASES?)?|DATE(?:TIME)?|DAY|DBCC|DEALLOCATE|DEC|DECIMAL|DECLARE|DEFAULT|DEFINER|DELAYED|DELETE|DELIMITERS?|DENY|DESC|DESCRIBE|DETERMINISTIC|DISABLE|DISCARD|DISK|DISTINCT|DISTINCTROW|DISTRIBUTED|DO|DOUBLE|DROP|DUMMY|DUMP(?:FILE)?|DUPLICATE|ELSE(?:IF)?|ENABLE|ENCLOSED|END|ENGINE|ENUM|ERRLVL|ERRORS|ESCAPED?|EXCEPT|EXEC(?:UTE)?|EXISTS|EXIT|EXPLAIN|EXTENDED|FETCH|FIELDS|FILE|FILLFACTOR|FIRST|FIXED|FLOAT|FOLLOWING|FOR(?: EACH ROW)?|FORCE|FOREIGN|FREETEXT(?:TABLE)?|FROM|FULL|FUNCTION|GEOMETRY(?:COLLECTION)?|GLOBAL|GOTO|GRANT|GROUP|HANDLER|HASH|HAVING|HOLDLOCK|HOUR|IDENTITY(?:_INSERT|COL)?|IF|IGNORE|IMPORT|INDEX|INFILE|INNER|INNODB|INOUT|INSERT|INT|INTEGER|INTERSECT|INTERVAL|INTO|INVOKER|ISOLATION|ITERATE|JOIN|KEYS?|KILL|LANGUAGE|LAST|LEAVE|LEFT|LEVEL|LIMIT|LINENO|LINES|LINESTRING|LOAD|LOCAL|LOCK|LONG(?:BLOB|TEXT)|LOOP|MATCH(?:ED)?|MEDIUM(?:BLOB|INT|TEXT)|MERGE|MIDDLEINT|MINUTE|MODE|MODIFIES|MODIFY|MONTH|MULTI(?:LINESTRING|POINT|POLYGON)|NATIONAL|NATURAL|NCHAR|NEXT|NO|NONCLUSTERED|NULLIF|NUMERIC|OFF?|OFFSETS?|ON|OPEN(?:DATASOURCE|QUERY|ROWSET)?|OPTIMIZE|OPTION(?:ALLY)?|ORDER|OUT(?:ER|FILE)?|OVER|PARTIAL|PARTITION|PERCENT|PIVOT|PLAN|POINT|POLYGON|PRECEDING|PRECISION|PREPARE|PREV|PRIMARY|PRINT|PRIVILEGES|PROC(?:EDURE)?|PUBLIC|PURGE|QUICK|RAISERROR|READS?|REAL|RECONFIGURE|REFERENCES|RELEASE|RENAME|REPEAT(?:ABLE)?|REPLACE|REPLICATION|REQUIRE|RESIGNAL|RESTORE|RESTRICT|RETURN(?:S|ING)?|REVOKE|RIGHT|ROLLBACK|ROUTINE|ROW(?:COUNT|GUIDCOL|S)?|RTREE|RULE|SAVE(?:POINT)?|SCHEMA|SECOND|SELECT|SERIAL(?:IZABLE)?|SESSION(?:_USER)?|SET(?:USER)?|SHARE|SHOW|SHUTDOWN|SIMPLE|SMALLINT|SNAPSHOT|SOME|SONAME|SQL|START(?:ING)?|STATISTICS|STATUS|STRIPED|SYSTEM_USER|TABLES?|TABLESPACE|TEMP(?:ORARY|TABLE)?|TERMINATED|TEXT(?:SIZE)?|THEN|TIME(?:STAMP)?|TINY(?:BLOB|INT|TEXT)|TOP?|TRAN(?:SACTIONS?)?|TRIGGER|TRUNCATE|TSEQUAL|TYPES?|UNBOUNDED|UNCOMMITTED|UNDEFINED|UNION|UNIQUE|UNLOCK|UNPIVOT|UNSIGNED|UPDATE(?:TEXT)?|USAGE|USE|USER|USING|VALUES?|VAR(?:BINARY|CHAR|CHARACTER|YING)|VIEW|WAITFOR|WARNINGS|WHEN|WHERE|WHILE|WITH(?: ROLLUP|IN)?|WORK|WRITE(?:TEXT)?|YEAR)\b/gi
	},
	{
		type: 'num',
		match: /\.?\d[\d.oxa-fA-F-]*|\bNULL\b/gi
	},
	{
		type: 'bool',
		match: /\b(TRUE|FALSE)\b/gi
	},
	{
		type: 'oper',
		match: /[-+*\/=%^~]|&&?|\|\|?|!=?|<(?:=>?|<|>)?|>[>=]?|\b(?:AND|BETWEEN|DIV|IN|ILIKE|IS|LIKE|NOT|OR|REGEXP|RLIKE|SOUNDS LIKE|XOR)\b/gi
	},
	{
		type: 'var',
		match: /@\S+/g
	}
];

export const toml = [
	{
		match: /#.*/g,
		type: 'cmnt',
		sub: 'todo'
	},
	{
		type: 'str',
		match: /("""|''')((?!\1)[^]|\\[^])*\1?/g
	},
	{
		expand: 'str'
	},
	{
		type: 'section',
		match: /^\[.+\]\s*$/gm
	},
	{
		type: 'num',
		match: /\b(inf|nan)\b|\d[\d:ZT.-]*/g
	},
	{
		expand: 'num'
	},
	{
		type: 'bool',
		match: /\b(true|false)\b/g
	},
	{
		type: 'oper',
		match: /[+,.=-]/g
	},
	{
		type: 'var',
		match: /[\w-]+(?=\s*=)/g
	}
];

export const ts = [
	{
		type: 'type',
		match: /:\s*(any|void|number|boolean|string|object|never|enum)\b/g
	},
	{
		type: 'kwd',
		match: /\b(type|namespace|typedef|interface|public|private|protected|implements|declare|abstract|readonly)\b/g
	},
	...js
];

export const yaml = [
	{
		match: /#.*/g,
		type: 'cmnt',
		sub: 'todo'
	},
	{
		expand: 'str'
	},
	{
		type: 'str',
		match: /(>|\|)\r?\n((\s[^\n]*)?(\r?\n|$))*/g
	},
	{
		type: 'type',
		match: /!![a-z]+/g
	},
	{
		type: 'bool',
		match: /\b(Yes|No)\b/g
	},
	{
		type: 'oper',
		match: /[+:-]/g
	},
	{
		expand: 'num'
	},
	{
		type: 'var',
		match: /[a-zA-Z][\w-]*(?=:)/g
	}
];
