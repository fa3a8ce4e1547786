// Renders markdown as elements: no HTML of the text, no images, links only to files and to the web.
import { h, table } from './dom.js';
import { fileLink } from './url_state.js';

const INLINE = /(`+)(.+?)\1|!\[([^\]]*)\]\([^)]*\)|\[((?:[^\][]|\[[^\]]*\])*)\]\(\s*<?([^)\s>]*)>?[^)]*\)|<(https?:\/\/[^\s>]+)>|(\*\*|__)(?=\S)(.+?)\7|(?<![\w*])([*_])(?=\S)(.+?)\9(?!\w)|~~(.+?)~~|\[([^\][]+)\](?:\[([^\]]*)\])?/;
const DEFINITION = /^ {0,3}\[([^\]]+)\]:\s*<?([^\s>]+)>?.*$/gm;
const ITEM = /^(\s*)([-*+]|\d+[.)])\s+(.*)/;
const FENCE = /^\s*(```+|~~~+)/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const RULE = /^\s*([-*_])(\s*\1){2,}\s*$/;
const TABLE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

const isOfList = (line) => ITEM.test(line) || /^\s+\S/.test(line);

let definitions;

/** The elements of the lines of a file at `path`, which relative links start from. */
export function rendered(lines, path) {
  const text = lines.join('\n').replace(/<!--[^]*?(-->|$)/g, '');
  definitions = new Map([...text.matchAll(DEFINITION)].map(([, name, href]) => [name.toLowerCase(), href]));
  return h('div', { class: 'markdown' }, blocks(text.replace(DEFINITION, '').split('\n'), path));
}

function blocks(lines, path) {
  const elements = [];
  const text = (part) => inline(part, path);
  const take = (test) => {
    const taken = [];
    while (lines.length && test(lines[0])) taken.push(lines.shift());
    return taken;
  };
  lines = [...lines];
  while (lines.length) {
    const [line, next = ''] = lines;
    const heading = HEADING.exec(line);
    const fence = FENCE.exec(line)?.[1];
    if (fence) {
      lines.shift();
      const code = take((other) => !other.trim().startsWith(fence));
      lines.shift();
      elements.push(h('pre', { tabindex: '0' }, h('code', null, code.join('\n'))));
    } else if (heading || /^(=+|-+)\s*$/.test(next) && line.trim() && !ITEM.test(line)) {
      lines.splice(0, heading ? 1 : 2);
      elements.push(h(`h${Math.min((heading?.[1].length ?? (next[0] === '=' ? 1 : 2)) + 1, 6)}`, null, text(heading?.[2] ?? line)));
    } else if (RULE.test(line)) {
      lines.shift();
      elements.push(h('hr'));
    } else if (/^\s*>/.test(line)) {
      elements.push(h('blockquote', null, blocks(take((other) => /^\s*>/.test(other)).map((other) => other.replace(/^\s*> ?/, '')), path)));
    } else if (ITEM.test(line)) {
      const otherKind = new RegExp(`^\\s{0,${/^\s*/.exec(line)[0].length}}${/^\s*\d/.test(line) ? '[-*+]' : '\\d+[.)]'}\\s`);
      elements.push(list(take((other) => !otherKind.test(other) && (isOfList(other) || !other.trim() && isOfList(lines[1] ?? ''))), path));
    } else if (line.includes('|') && TABLE.test(next)) {
      const cells = (row) => row.trim().replace(/^\||\|$/g, '').split(/(?<!\\)\|/).map((cell) => text(cell.trim()));
      lines.splice(1, 1);
      const [head, ...rows] = take((other) => other.includes('|'));
      elements.push(table('Table', cells(head), h('tbody', null, rows.map((row) => h('tr', null, cells(row).map((cell) => h('td', null, cell)))))));
    } else if (line.trim()) {
      const first = lines.shift();
      elements.push(h('p', null, text([first, ...take((other) => other.trim() && ![HEADING, FENCE, ITEM, /^\s*>/].some((pattern) => pattern.test(other)))].join('\n'))));
    } else lines.shift();
  }
  return elements;
}

function list(lines, path) {
  const [, indent, sign] = ITEM.exec(lines[0]);
  const items = [];
  for (const line of lines) {
    const match = ITEM.exec(line);
    if (match && match[1].length <= indent.length) items.push([match[3]]);
    else items.at(-1).push(line.slice(indent.length).replace(/^ {1,4}|^\t/, ''));
  }
  return h(/\d/.test(sign) ? 'ol' : 'ul', null, items.map(([first, ...rest]) => {
    const at = rest.findIndex((line) => !line.trim() || ITEM.test(line) || FENCE.test(line));
    const own = at < 0 ? rest : rest.slice(0, at);
    return h('li', null, inline([first, ...own].join('\n'), path), at < 0 ? null : blocks(rest.slice(at), path));
  }));
}

/** The nodes of a text: code, links, emphasis; an image as its description. */
function inline(text, path) {
  const nodes = [];
  let rest = text;
  const inner = (part) => inline(part, path);
  for (let match = INLINE.exec(rest); match; match = INLINE.exec(rest)) {
    const [whole, , code, image, label, href, url, , bold, , emphasis, struck, text_, name] = match;
    const defined = definitions.get((name || text_)?.toLowerCase());
    nodes.push(plain(rest.slice(0, match.index)), code !== undefined ? h('code', null, code.trim())
      : image !== undefined ? h('em', null, `[image${image ? `: ${image}` : ''}]`)
        : label !== undefined ? anchor(href, inner(label), path)
          : text_ ? defined ? anchor(defined, inner(text_), path) : whole
            : url ? anchor(url, url, path)
            : h(bold ? 'strong' : emphasis ? 'em' : 's', null, inner(bold ?? emphasis ?? struck)));
    rest = rest.slice(match.index + whole.length);
  }
  return [...nodes, plain(rest)];
}

function plain(text) {
  return text.replace(/\\(?=[^\w\s])/g, '');
}

/** A link to the web or to a file of the repository; other addresses are text. */
function anchor(href, label, path) {
  if (/^https?:\/\//i.test(href)) return h('a', { href, rel: 'noreferrer' }, label);
  if (/^[a-z][a-z\d+.-]*:|^#|^\/\//i.test(href) || !href) return h('span', null, label);
  const target = new URL(href, `file:///${path.split('/').map(encodeURIComponent).join('/')}`);
  return h('a', { href: fileLink(decodeURIComponent(target.pathname.slice(1))) }, label);
}
