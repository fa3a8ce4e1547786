/** A Worker with an endpoint that returns its own parameters, for tests of the HTTP app without an index. */

import type { Client } from "../src/access_rights.ts";
import type { Params } from "../src/api/types.ts";
import { createApp } from "../src/app.ts";
import type { Env } from "../src/bindings/env.ts";
import { HttpError } from "../src/http_error.ts";
import type { OnTiming } from "../src/timing.ts";

const NOTE = "The index matches 2457e5e.";
const HIT = {
  id: "0",
  repo: "acme/shop",
  path: "src/money.py",
  language: "python",
  node_type: "method",
  symbol: "exchange",
  signature: "def exchange(amount, rate):",
  logical_path: null,
  start_line: 4,
  end_line: 5,
  state: "same",
  member: null,
  piece: null,
  copies: [],
  text: "def exchange(amount, rate):\n    return amount * rate",
  text_of: null,
  before: null,
  after: null,
  window: null,
};

async function answer(
  name: string,
  params: Params,
  env: Env,
  onTiming: OnTiming,
  client: Client,
): Promise<object> {
  const query = params.q?.[0] ?? "";
  if (query === "overloaded") throw new HttpError(503, "D1 is overloaded.", "Try again soon.");
  if (query === "broken") throw new TypeError("a fault");
  onTiming("d1", 1);
  const { results } = await env.CODE_DB.prepare("SELECT 1 AS one").run();
  const fetched = query === "fetched" ? [await fetchedPaths()] : [];
  const hits = name === "read" ? [] : [HIT];
  const notes = [`${name}: ${query.length} characters`];
  const targets = params.target?.map((target) => ({ target, hits: [HIT], error: "" }));
  const page = { hits, total: hits.length, at_least: false, offset: 0, notes, note: NOTE };
  const repos = query === "rights" ? { repos: client.repos && [...client.repos] } : {};
  return { ...page, params, results, targets, files: [], fetched, ...repos };
}

/** The paths that the Worker has fetched, as `tests/edge/workerd.mjs` recorded them. */
async function fetchedPaths(): Promise<unknown> {
  return (await fetch("https://tests.example/fetched")).json();
}

export default createApp(answer);
