// The tokenizer and rules of @speed-highlight/core 2.1.0 (CC0, see languages.license), one constant for each language.
const expandData = {
num: {
type: 'num',
match: /(\.e?|\b)\d(e-|[\d.oxa-fA-F_])*(\.|\b)/g
},
str: {
type: 'str',
match: /(["'])(\\[^]|(?!\1)[^\r\n\\])*\1?/g
},
strDouble: {
type: 'str',
match: /"((?!")[^\r\n\\]|\\[^])*"?/g
}
};

export function tokenizeWith(src, data, onToken) {
let i = 0,
m,
part,
first = {},
match,
cache = [],
arr = [...(data.sub ?? data)];

while (i < src.length) {
first.index = null;
for (m = arr.length; m-- > 0;) {
part = arr[m].expand ? expandData[arr[m].expand] : arr[m];
if (cache[m] === undefined || cache[m].match.index < i) {
part.match.lastIndex = i;
match = part.match.exec(src);
if (match === null) {
arr.splice(m, 1);
cache.splice(m, 1);
continue;
}
cache[m] = { match, lastIndex: part.match.lastIndex };
}
if (cache[m].match[0] && (cache[m].match.index <= first.index || first.index === null))
first = {
part: part,
index: cache[m].match.index,
match: cache[m].match[0],
end: cache[m].lastIndex
}
}
if (first.index === null)
break;
onToken(src.slice(i, first.index), data.type);
i = first.index;
if (first.part.sub)
tokenizeWith(first.match, typeof first.part.sub === 'function' ? first.part.sub() : first.part, onToken);
else
onToken(first.match, first.part.type);
i = first.end;
}
onToken(src.slice(i), data.type);
}

let
nameStartChar = ":A-Z_a-z\u{C0}-\u{FFFD}",
nameChar = nameStartChar + "\\-\\.0-9\u{B7}";
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
match: /^<[\/!?]?/g
}
]
},
{
type: 'str',
match: /=\s*([^"'>\s][^>\s]*|("|')(\\[^]|(?!\2)[^])*\2?)/g,
sub: [
{
match: /^=/g
}
]
},
{
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
type: 'cmnt'
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
match: /^<\?/g
}
]
},
{
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
type: 'cmnt'
},
{
match: /\/\/.*\n?|\/\*((?!\*\/)[^])*(\*\/)?/g,
type: 'cmnt'
},
{
expand: 'str'
},
{
match: /`((?!`)[^]|\\[^])*`?/g,
type: 'str'
},
{
type: 'kwd',
match: /=>|(?<![^.]\.)\b(this|set|get|as|async|await|break|case|catch|class|const|constructor|continue|debugger|default|delete|do|else|enum|export|extends|finally|for|from|function|if|implements|import|in|instanceof|interface|let|var|of|new|package|private|protected|public|return|static|super|switch|throw|throws|try|typeof|void|while|with|yield)\b/g
},
{
match: /(?<=[^\w$)\]'"`\s]\s*|\b(case|do|else|in|instanceof|new|of|return|throw|typeof|void|yield|await)\s+|^\s*)\/((?!\/)[^\r\n\\]|\\.)+\/\w*/gm
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
match: /#.*/g
},
{
type: 'str',
match: /(["'])((?!\1)[^\r\n\\]|\\[^])*\1?/g,
sub: [ variable ]
},
{
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
type: 'cmnt'
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
match: /[^{}]*(?=}$)/g
}
]
},
{
type: 'kwd',
match: /\*|&|#[a-z]+\b|\b(asm|auto|double|int|struct|break|else|long|switch|case|enum|register|typedef|char|extern|return|union|const|float|short|unsigned|continue|for|signed|void|default|goto|sizeof|volatile|do|if|static|while)\b/g
},
{
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
type: 'cmnt'
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
type: 'cmnt'
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
match: /:=|[+\-*\/%&|^~=!<>.^-]+/g
}
];

let
attribute = (name, sub) => ({
type: 'str',
match: RegExp(`(?<=\\s${name}\\s*)=\\s*('[^']*'|"[^"]*")`, 'gi'),
sub: [
{
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
attribute('style', css),
attribute('on\\w+', js),
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
sub: css
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
sub: js
},
htmlElement
]
},
...xml.map(rule => rule === xmlElement ? htmlElement : rule)
];

export const ini = [
{
match: /(^[ \f\t\v]*)[#;].*/gm,
type: 'cmnt'
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
type: 'cmnt'
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
type: 'cmnt'
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
type: 'cmnt'
},
{
expand: 'str'
},
{
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
sub: bash
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
type: 'kwd',
sub: [{ match: /\n[^]*(?=```)/g }]
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
match: /^\[[^\]]*]/g
}
]
}
];

export const pl = [
{
match: /#.*/g,
type: 'cmnt'
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
type: 'cmnt'
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
sub: () => py
}
]
}
]
},
{
match: /("""|''')(\\[^]|(?!\1)[^])*\1?/g,
type: 'cmnt'
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
type: 'cmnt'
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
type: 'cmnt'
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
match: /\b(ADD|ALL|ALTER|ANALYZE|AND|ANY|AS|ASC|AUTO_INCREMENT|BEGIN|BETWEEN|BIGINT|BLOB|BOOLEAN|BY|CASCADE|CASE|CHAR|CHECK|COLLATE|COLUMN|COMMENT|COMMIT|CONSTRAINT|CREATE|CROSS|CURRENT_DATE|CURRENT_TIMESTAMP|CURSOR|DATABASE|DATE|DATETIME|DECIMAL|DECLARE|DEFAULT|DELETE|DESC|DESCRIBE|DISTINCT|DOUBLE|DROP|ELSE|END|EXCEPT|EXEC|EXISTS|EXPLAIN|FETCH|FLOAT|FOR|FOREIGN|FROM|FULL|FUNCTION|GRANT|GROUP|HAVING|IF|INDEX|INNER|INSERT|INT|INTEGER|INTERSECT|INTO|JOIN|KEYS?|LEFT|LIMIT|LOOP|NATURAL|NUMERIC|OFFSET|ON|ONLY|ORDER|OUTER|OVER|PARTITION|PRAGMA|PRIMARY|PROCEDURE|REAL|REFERENCES|RENAME|REPLACE|RETURNS?|RETURNING|REVOKE|RIGHT|ROLLBACK|ROWS?|SCHEMA|SELECT|SET|SHOW|SMALLINT|START|TABLES?|TEMPORARY|TEXT|THEN|TIME|TIMESTAMP|TO|TRANSACTION|TRIGGER|TRUNCATE|UNION|UNIQUE|UPDATE|USE|USING|VALUES|VARCHAR|VIEW|VIRTUAL|WHEN|WHERE|WHILE|WITH)\b/gi
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
type: 'cmnt'
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
type: 'cmnt'
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

// Languages that the highlighter does not bring, from the nearest that it does: other keywords. They belong to feeder.
const HASH = { match: /#.*/g, type: 'cmnt' };
const DASHES = { match: /--.*|\{-[^]*?(-\}|$)/g, type: 'cmnt' };

function like(parent, keywords, ...more) {
  const others = parent.filter((rule) => rule.type !== 'kwd');
  return [...more, { type: 'kwd', match: keywords.flags ? keywords : new RegExp(`\\b(${keywords})\\b`, 'g') }, ...others];
}

const SHARED = 'abstract|break|case|catch|class|const|continue|default|do|else|enum|false|finally|for|if|interface'
  + '|new|null|private|protected|public|return|static|super|switch|this|throw|true|try|void|while';
const withoutComments = py.filter((rule) => rule.type !== 'cmnt' && !rule.sub);

export const cpp = like(c, `${SHARED}|auto|bool|char|class|constexpr|decltype|delete|double|explicit|extern|float|friend`
  + '|inline|int|long|mutable|namespace|noexcept|nullptr|operator|override|short|signed|sizeof|struct|template|typedef'
  + '|typename|union|unsigned|using|virtual|volatile|co_await|co_return|co_yield|concept|requires',
  { type: 'kwd', match: /^[ \t]*#[ \t]*[a-z]+/gm });
export const csharp = like(java, `${SHARED}|as|async|await|base|bool|byte|char|decimal|delegate|double|event|explicit`
  + '|float|foreach|get|in|init|int|internal|is|lock|long|nameof|namespace|object|operator|out|override|params|partial'
  + '|readonly|record|ref|sealed|set|short|sizeof|string|struct|typeof|uint|ulong|unsafe|using|var|virtual|when|where|yield');
export const kotlin = like(java, `${SHARED}|as|by|companion|constructor|crossinline|data|fun|import|in|init|inline|inner`
  + '|internal|is|lateinit|object|open|operator|out|override|package|reified|sealed|suspend|typealias|val|var|vararg|when|where');
export const scala = like(java, `${SHARED}|def|extends|extension|final|forSome|given|implicit|import|lazy|match|object`
  + '|override|package|sealed|then|trait|type|using|val|var|with|yield');
export const swift = like(java, `${SHARED}|actor|any|as|async|await|associatedtype|defer|deinit|extension|fileprivate`
  + '|func|guard|import|in|indirect|init|inout|internal|is|lazy|let|mutating|nil|open|operator|override|protocol|repeat'
  + '|required|rethrows|self|Self|some|struct|subscript|throws|typealias|unowned|var|weak|where');
export const dart = like(java, `${SHARED}|as|async|await|covariant|dynamic|export|extends|extension|external|factory`
  + '|final|get|implements|import|in|is|late|library|mixin|on|operator|part|required|set|sync|typedef|var|with|yield');
export const groovy = like(java, `${SHARED}|as|assert|def|extends|final|implements|import|in|instanceof|package|trait`);
export const php = like(java, `${SHARED}|and|array|as|clone|declare|echo|elseif|extends|final|fn|foreach|function|global`
  + '|implements|include|instanceof|insteadof|match|namespace|or|print|readonly|require|require_once|trait|use|var|yield',
  HASH, { type: 'var', match: /\$\w+/g });
export const proto = like(java, 'enum|extend|import|map|message|oneof|option|optional|package|repeated|required|reserved'
  + '|returns|rpc|service|stream|syntax|bool|bytes|double|fixed32|fixed64|float|int32|int64|string|uint32|uint64');
export const graphql = like(withoutComments, 'enum|extend|fragment|implements|input|interface|mutation|on|query|scalar'
  + '|schema|subscription|type|union', HASH);
export const hcl = like(withoutComments, 'data|dynamic|false|for|for_each|if|in|locals|module|null|output|provider'
  + '|resource|terraform|true|variable', { match: /(#|\/\/).*|\/\*[^]*?(\*\/|$)/g, type: 'cmnt' });
export const ruby = like(withoutComments, 'BEGIN|END|alias|and|begin|break|case|class|def|defined|do|else|elsif|end'
  + '|ensure|false|for|if|in|module|next|nil|not|or|private|protected|raise|redo|require|require_relative|rescue|retry'
  + '|return|self|super|then|true|undef|unless|until|when|while|yield|attr_reader|attr_accessor|include|extend',
  HASH, { type: 'var', match: /@{1,2}\w+|:[a-z_]\w*[?!]?/g });
export const elixir = like(withoutComments, 'after|alias|and|case|catch|cond|def|defimpl|defmacro|defmodule|defp'
  + '|defprotocol|defstruct|do|else|end|false|fn|for|if|import|in|nil|not|or|quote|raise|receive|require|rescue|true|try'
  + '|unless|unquote|use|when|with', HASH, { type: 'var', match: /@\w+|:[a-z_]\w*[?!]?/g });
export const haskell = like(withoutComments, 'case|class|data|default|deriving|do|else|family|forall|foreign|if|import'
  + '|in|infix|infixl|infixr|instance|let|module|newtype|of|then|type|where', DASHES);
export const zig = like(java, 'addrspace|align|and|anytype|asm|async|await|break|catch|comptime|const|continue|defer'
  + '|else|enum|errdefer|error|export|extern|false|fn|for|if|inline|null|or|orelse|packed|pub|return|struct|suspend'
  + '|switch|test|threadlocal|true|try|undefined|union|unreachable|usingnamespace|var|volatile|while');
export const pascal = like(withoutComments, /\b(and|array|as|begin|case|class|const|constructor|destructor|div|do|downto|else|end|except|finally|for|function|if|implementation|in|inherited|interface|nil|not|of|or|override|private|procedure|program|property|public|record|repeat|then|to|try|type|unit|until|uses|var|while|with)\b/gi,
  { match: /\/\/.*|\{[^}]*\}?|\(\*[^]*?(\*\)|$)/g, type: 'cmnt' });
