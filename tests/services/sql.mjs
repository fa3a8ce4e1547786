/** What a text of SQL holds: its statements, and functions with more arguments than D1 allows. */

const COMMENTS = /--[^\n]*|\/\*[\s\S]*?\*\//g;
const QUOTED = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]/;
const TOKEN = new RegExp(`${QUOTED.source}|${COMMENTS.source}|[A-Za-z_]\\w*|[\\s\\S]`, "g");
const TRIGGER = /^\s*create\s+(?:temp\s+|temporary\s+)?trigger\b/i;

const MAX_ARGUMENTS = 32;
// Only these can have so many; a list of columns or of values is no function's.
const VARIADIC = new Set(
  ("char coalesce concat concat_ws format json_array json_insert json_object json_remove " +
    "json_replace json_set jsonb_array jsonb_insert jsonb_object jsonb_remove jsonb_replace " +
    "jsonb_set json_extract jsonb_extract max min printf").split(" "),
);

/** The statements of `sql`; the `;` of a trigger's body, a string or a comment ends none. */
export function statementsOf(sql) {
  const statements = [];
  let current = "";
  let depth = 0;
  for (const [token] of sql.matchAll(TOKEN)) {
    if (token === ";" && depth === 0) {
      statements.push(current);
      current = "";
      continue;
    }
    current += token;
    depth += nesting(token, current);
  }
  return [...statements, current].filter((text) => text.replace(COMMENTS, "").trim() !== "");
}

/** The first function with more than 32 arguments, if any: workerd itself allows 127. */
export function overloadedFunction(sql) {
  const open = [];
  let before = "";
  for (const [token] of sql.matchAll(TOKEN)) {
    if (token === "(") open.push({ name: before, commas: 0 });
    if (token === ")") open.pop();
    if (token === "," && open.length > 0) open.at(-1).commas += 1;
    const { name, commas } = open.at(-1) ?? {};
    if (commas >= MAX_ARGUMENTS && VARIADIC.has(name)) return name;
    if (token.trim() !== "") before = token.toLowerCase();
  }
  return undefined;
}

function nesting(token, current) {
  const word = token.toLowerCase();
  if (word !== "begin" && word !== "case" && word !== "end") return 0;
  if (!TRIGGER.test(current.replace(COMMENTS, " "))) return 0;
  return word === "end" ? -1 : 1;
}
