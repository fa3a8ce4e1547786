/** Which vector does a question have? By the model that made the index', kept in the isolate. */

import shared from "../../build/shared.json";
import {
  asked as codesOf,
  CODES,
  counted,
  vector as added,
} from "../../../src/feeder/embedding/static_query.mjs";
import { embedQuery, isWorkersAiModel } from "../bindings/workers_ai.ts";
import type { Env } from "../bindings/env.ts";
import type { OnTiming } from "../api/types.ts";
import type { Row, Statement } from "../store/database.ts";
import type { IndexMeta } from "./index_status.ts";

const { HEADER_VERSION } = shared.constants.nodes;
/** Questions whose vectors are kept: 1024 numbers are 8 kB. */
const KEPT = 500;

interface Table {
  model: string;
  slots: number;
  buckets: number;
  dimensions: number;
}

/** The model that a question is put to; `table` where it is looked up in the index' database. */
export interface QueryModel {
  readonly name: string;
  readonly dimensions: number;
  readonly table: Table | null;
}

/** The model of the index, or why it cannot be asked; neither where the index has no vectors. */
export function queryModel(meta: IndexMeta, env: Env): { model: QueryModel | null; lacks: string | null } {
  const name = meta.get("model");
  if (!name) return env.MODEL ? none(`The index has no vectors by ${env.MODEL}.`) : none(null);
  if ((env.MODEL && env.MODEL !== name) || meta.get("header") !== HEADER_VERSION) {
    return none(`The index has no vectors by ${env.MODEL ?? name}, but by ${name}.`);
  }
  if (!env.CODE_INDEX) return none("The binding CODE_INDEX is missing.");
  const dimensions = Number(meta.get("dimensions"));
  const table = tableOf(meta);
  if (table?.model === name) {
    if (table.dimensions === dimensions) return { model: { name, dimensions, table }, lacks: null };
    return none(`The index has vectors of ${dimensions} dimensions, and ${name} ${table.dimensions}.`);
  }
  if (!isWorkersAiModel(name)) return none(`The model ${name} cannot be asked from here.`);
  if (!env.AI) return none("The binding AI is missing.");
  return { model: { name, dimensions, table: null }, lacks: null };
}

function none(lacks: string | null): { model: null; lacks: string | null } {
  return { model: null, lacks };
}

function tableOf(meta: IndexMeta): Table | null {
  const said = meta.get("lookup");
  return said ? (JSON.parse(said) as Table) : null;
}

const kept = new Map<string, readonly number[]>();

/** The vector that a question had before, which is then the newest of those that are kept. */
function before(key: string): readonly number[] | undefined {
  const found = kept.get(key);
  if (found) keep(key, found);
  return found;
}

function keep(key: string, vector: readonly number[]): void {
  kept.delete(key);
  kept.set(key, vector);
  if (kept.size > KEPT) for (const oldest of kept.keys()) return void kept.delete(oldest);
}

/** How a question's vector is had: kept, from rows that are asked for, or from Workers AI. */
export class QueryVector {
  readonly #key: string;
  readonly #counts: Map<string, number> | null;

  constructor(
    private readonly model: QueryModel,
    private readonly text: string,
    private readonly env: Env,
    private readonly clock: OnTiming,
  ) {
    this.#key = JSON.stringify([model.name, model.dimensions, text]);
    this.#counts = model.table && !kept.has(this.#key) ? counted(text) : null;
  }

  /** What has to be asked of the database before. */
  get statements(): Statement[] {
    const { table } = this.model;
    return table && this.#counts ? [{ sql: CODES, params: [codesOf(this.#counts, table)] }] : [];
  }

  /** Whether nothing of the database is needed. */
  get isFree(): boolean {
    return this.#counts === null;
  }

  /** The vector, of the rows that the statements were answered with; null where it is nothing. */
  async made(answers: readonly (readonly Row[])[]): Promise<readonly number[] | null> {
    const known = before(this.#key);
    const found = known ?? (await this.#made(answers));
    if (!known) keep(this.#key, found);
    return found.some((number) => number !== 0) ? found : null;
  }

  async #made(answers: readonly (readonly Row[])[]): Promise<readonly number[]> {
    const { model } = this;
    if (model.table && this.#counts) return added(this.#counts, answers[0] ?? [], model.table);
    return embedQuery(this.env.AI!, model.name, model.dimensions, this.text, this.clock);
  }
}
