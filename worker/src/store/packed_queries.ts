/**
 * Packs statements into few queries, since Cloudflare limits how many queries a request may send to D1.
 *
 * A packed query joins its statements by UNION ALL; the first column of a row tells the statement that it is of.
 */

import type { Row, Statement, Value } from "./database.ts";

/** Terms of one compound SELECT; D1 allows five. */
const MAX_TERMS = 5;
/** Statements of a query: a header, and four compounds of statements. */
const MAX_STATEMENTS = (MAX_TERMS - 1) * MAX_TERMS;
/** D1 allows 100. */
const MAX_PARAMETERS = 100;
/** D1 allows 100,000 bytes. */
const MAX_CHARS = 90_000;
const MAX_PARSED = 1_000;

/** A statement with its number of columns, cut at its parameters: their places in `params` stand between the texts. */
interface ParsedStatement {
  readonly texts: readonly string[];
  readonly places: readonly number[];
}

/** A query that several statements are packed into; a single one is sent as it is. */
export interface PackedQuery {
  readonly statement: Statement;
  /** The places of its statements in the list that was packed. */
  readonly places: readonly number[];
}

/** Packs the statements whose number of columns is known; the others are queries of their own. */
export function packStatements(statements: readonly Statement[], columnsOf: (statement: Statement) => number | null): PackedQuery[] {
  const queries: PackedQuery[] = [];
  let pack = new Pack();
  for (const [place, statement] of statements.entries()) {
    const columns = columnsOf(statement);
    if (columns === null) queries.push({ statement, places: [place] });
    else if (!pack.add(statement, columns, place)) {
      queries.push(pack.query());
      pack = new Pack();
      pack.add(statement, columns, place);
    }
  }
  return pack.places.length > 0 ? [...queries, pack.query()] : queries;
}

/** The rows of each of `count` statements, from those of their queries. */
export function unpackRows(queries: readonly PackedQuery[], rowSets: readonly Row[][], columns: readonly (number | null)[]): Row[][] {
  const rowsOf: Row[][] = columns.map(() => []);
  for (const [at, { places }] of queries.entries()) {
    if (places.length === 1) rowsOf[places[0]!] = rowSets[at]!;
    else for (const [own, ...values] of rowSets[at]!) rowsOf[places[Number(own)]!]!.push(values.slice(0, columns[places[Number(own)]!]!));
  }
  return rowsOf;
}

class Pack {
  readonly places: number[] = [];
  readonly #statements: { statement: Statement; columns: number }[] = [];
  readonly #params = new Map<Value, number>();
  #chars = 0;

  /** Adds a statement; false if it has no room, which an empty pack always has. */
  add(statement: Statement, columns: number, place: number): boolean {
    const added = statement.params.filter((value) => !this.#params.has(value));
    const chars = this.#chars + statement.sql.length;
    const size = this.#params.size + new Set(added).size;
    const isFull = this.places.length === MAX_STATEMENTS || size > MAX_PARAMETERS || chars > MAX_CHARS;
    if (this.places.length > 0 && isFull) return false;
    for (const value of added) if (!this.#params.has(value)) this.#params.set(value, this.#params.size + 1);
    this.places.push(place);
    this.#statements.push({ statement, columns });
    this.#chars = chars;
    return true;
  }

  query(): PackedQuery {
    const { places } = this;
    const [first] = this.#statements;
    if (this.#statements.length === 1) return { statement: first!.statement, places };
    const width = Math.max(...this.#statements.map(({ columns }) => columns));
    const terms = this.#statements.map(({ statement, columns }, at) => {
      return `SELECT ${at}, s.*${", NULL".repeat(width - columns)} FROM (${this.#renumbered(statement)}) s`;
    });
    const groups: string[] = [];
    for (let start = 0; start < terms.length; start += MAX_TERMS) {
      groups.push(`SELECT * FROM (${terms.slice(start, start + MAX_TERMS).join("\nUNION ALL ")})`);
    }
    // names of its own: D1 answers rows as objects, in which equal names would be one
    const names = Array.from({ length: width }, (_, at) => `, NULL AS c${at}`).join("");
    const sql = [`SELECT NULL AS place${names} WHERE 0`, ...groups].join("\nUNION ALL ");
    return { statement: { sql, params: [...this.#params.keys()] }, places };
  }

  /** The statement's text with the parameters of the packed query. */
  #renumbered({ sql, params }: Statement): string {
    const { texts, places } = parse(sql);
    return texts.map((text, at) => text + (at < places.length ? `?${this.#params.get(params[places[at]!]!)}` : "")).join("");
  }
}

const parsedStatements = new Map<string, ParsedStatement>();

/** Cuts a statement at its parameters, `?` or `?NUMBER`; one without a number follows the greatest before it, as in SQLite. */
function parse(sql: string): ParsedStatement {
  const known = parsedStatements.get(sql);
  if (known) return known;
  const [texts, places]: [string[], number[]] = [[], []];
  let [start, greatest] = [0, 0];
  for (const match of sql.matchAll(/'(?:[^']|'')*'|\?(\d*)/g)) {
    if (match[1] === undefined) continue;
    const number = match[1] ? Number(match[1]) : greatest + 1;
    greatest = Math.max(greatest, number);
    texts.push(sql.slice(start, match.index));
    places.push(number - 1);
    start = match.index + match[0].length;
  }
  const parsed = { texts: [...texts, sql.slice(start)], places };
  if (parsedStatements.size < MAX_PARSED) parsedStatements.set(sql, parsed);
  return parsed;
}
