// Languages that the highlighter does not bring, from the nearest that it does: other keywords.
import { c, java, py } from './languages.js';

const HASH = { match: /#.*/g, type: 'cmnt' };
const DASHES = { match: /--.*|\{-[^]*?(-\}|$)/g, type: 'cmnt' };

function like(parent, keywords, ...more) {
  const others = parent.filter((rule) => rule.type !== 'kwd');
  return [...more, { type: 'kwd', match: new RegExp(`\\b(${keywords})\\b`, 'g') }, ...others];
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
export const pascal = like(withoutComments, '[Aa]nd|[Aa]rray|[Aa]s|[Bb]egin|[Cc]ase|[Cc]lass|[Cc]onst|[Cc]onstructor'
  + '|[Dd]estructor|[Dd]iv|[Dd]o|[Dd]ownto|[Ee]lse|[Ee]nd|[Ee]xcept|[Ff]inally|[Ff]or|[Ff]unction|[Ii]f|[Ii]mplementation'
  + '|[Ii]n|[Ii]nherited|[Ii]nterface|[Nn]il|[Nn]ot|[Oo]f|[Oo]r|[Oo]verride|[Pp]rivate|[Pp]rocedure|[Pp]rogram|[Pp]roperty'
  + '|[Pp]ublic|[Rr]ecord|[Rr]epeat|[Tt]hen|[Tt]o|[Tt]ry|[Tt]ype|[Uu]nit|[Uu]ntil|[Uu]ses|[Vv]ar|[Ww]hile|[Ww]ith',
  { match: /\/\/.*|\{[^}]*\}?|\(\*[^]*?(\*\)|$)/g, type: 'cmnt' });
