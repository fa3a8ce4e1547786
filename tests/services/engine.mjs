/** The real D1 engine (workerd, through miniflare), with as many databases as tests ask for. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Miniflare, NoOpLog } from "miniflare";

import { Connections, OWN_SOCKET } from "./runtime_request.mjs";

// workerd reads its databases from its configuration and must start again for new ones (0.15 s),
// so it is always given some more than are in use.
const SPARE_DATABASES = 32;
const FEW_SPARE_DATABASES = 8;

// The worker hands a request to the database's own endpoint, the one behind D1's JavaScript API:
// that API cannot answer columns and rows for a whole batch.
const WORKER = `
export default {
  async fetch(request, env) {
    const { searchParams } = new URL(request.url);
    const url = "http://d1/query?resultsFormat=" + searchParams.get("format");
    const { fetcher } = env[searchParams.get("binding")];
    return fetcher.fetch(url, { method: "POST", body: request.body });
  },
};`;

/** The engine refused; `passing` when it was the machine and not the SQL. */
export class EngineError extends Error {
  constructor(message, { passing = false } = {}) {
    super(message);
    this.passing = passing;
  }
}

export class Engine {
  #directory;
  #miniflare;
  #made = 0;
  #inUse = new Set();
  #spare = [];
  #turn = Promise.resolve();
  #workers = [];
  #connections = new Connections();

  static async start() {
    const engine = new Engine();
    engine.#directory = await mkdtemp(join(tmpdir(), "standin-d1-"));
    // miniflare sometimes leaves its own folder behind: there it goes with ours.
    process.env.TMPDIR = engine.#directory;
    engine.#addSpare();
    engine.#miniflare = new Miniflare(engine.#options());
    await engine.#miniflare.ready;
    return engine;
  }

  async stop() {
    this.#connections.close();
    await this.#miniflare.dispose();
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 5 });
  }

  /** A database that nobody has used before. */
  async take() {
    if (this.#spare.length === 0) await this.#restart();
    const binding = this.#spare.pop();
    this.#inUse.add(binding);
    return binding;
  }

  give(binding) {
    this.#inUse.delete(binding);
  }

  /** Starts again while nobody waits, so that `take` need not in the middle of a test. */
  async topUp() {
    if (this.#spare.length < FEW_SPARE_DATABASES) await this.#restart();
  }

  /** Runs other workers beside the databases, which are bound by their names; none with none. */
  async deploy(workers) {
    if (workers.length === 0 && this.#workers.length === 0) return;
    this.#workers = workers;
    await this.#restart();
  }

  /** The answer of one of them to a request for this path. */
  async ask(name, path, init) {
    await this.#turn;
    return this.#connections.send(new URL(path, await this.#miniflare.unsafeGetDirectURL(name)), init);
  }

  /** Runs the queries as one transaction; format is ARRAY_OF_OBJECTS or ROWS_AND_COLUMNS. */
  async run(binding, queries, format, timeoutMs) {
    await this.#turn;
    let timer;
    const expired = new Promise((resolve) => {
      timer = setTimeout(resolve, timeoutMs, "expired");
    });
    const outcome = await Promise.race([this.#send(binding, queries, format), expired]);
    clearTimeout(timer);
    if (outcome !== "expired") return resultsOf(outcome);
    // A statement cannot be interrupted from outside; the live service resets the object too.
    await this.#restart();
    throw new EngineError(
      "D1 DB storage operation exceeded timeout which caused object to be reset.",
      { passing: true },
    );
  }

  async #send(binding, queries, format) {
    const path = `/?binding=${binding}&format=${format}`;
    try {
      const { status, body } = await this.ask("engine", path, { method: "POST", body: JSON.stringify(queries) });
      return { status, text: body.toString() };
    } catch {
      return { lost: true };
    }
  }

  #restart() {
    const restarted = this.#turn.then(() => {
      this.#addSpare();
      this.#connections.close();
      return this.#miniflare.setOptions(this.#options());
    });
    this.#turn = restarted.catch(() => {});
    return restarted;
  }

  #addSpare() {
    while (this.#spare.length < SPARE_DATABASES) this.#spare.push(`D${(this.#made += 1)}`);
  }

  #options() {
    const bindings = [...this.#inUse, ...this.#spare];
    const engine = {
      name: "engine",
      modules: true,
      script: WORKER,
      compatibilityDate: "2026-04-01",
      ...OWN_SOCKET,
      d1Databases: Object.fromEntries(bindings.map((name) => [name, name])),
    };
    return {
      host: "127.0.0.1",
      cf: false,
      log: new NoOpLog(),
      d1Persist: join(this.#directory, "d1"),
      workers: [engine, ...this.#workers],
    };
  }
}

function resultsOf({ lost, status, text }) {
  if (lost) throw new EngineError("Network connection lost.", { passing: true });
  if (status !== 200) throw new EngineError(`internal error: ${text.split("\n")[0]}`);
  const answer = JSON.parse(text);
  if (Array.isArray(answer)) return answer;
  throw new EngineError(answer.error);
}
