/**
 * Runs the Worker in its own workerd, so that the process' CPU time is the Worker's: `isolate.mjs
 * '{"script": …, "vars": …, "token": …, "database": …, "index": …}'`.
 *
 * The bindings call the stand-in over HTTP; D1's SQLite runs in another process. Prints its address
 * on stdout and serves until stdin closes.
 */

import { readFile } from "node:fs/promises";

import { Miniflare, NoOpLog } from "miniflare";

const ASKED = `
const asked = async ({ address, token }, path, body) => {
  const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
  const init = { method: "POST", body: JSON.stringify(body), headers };
  const { success, result, errors } = await (await fetch(address + path, init)).json();
  if (success) return result;
  throw new Error(errors.map(({ message }) => message).join("; "));
};`;
const DATABASE = `${ASKED}
export default (place) => ({
  withSession: () => ({
    prepare: (sql) => ({ sql, params: [], bind(...params) { return { ...this, params }; } }),
    batch: (some) => asked(place, "/query", { batch: some.map(({ sql, params }) => ({ sql, params })) }),
  }),
});`;
const VECTORS = `${ASKED}
export default (place) => ({
  query: (vector, options) => asked(place, "/query", { vector, ...options }),
});`;

const { script, vars, token, database, index } = JSON.parse(process.argv[2]);
const made = (name, contents, address) => ({
  name,
  modules: [{ type: "ESModule", path: `${name}.mjs`, contents }],
  bindings: { address, token },
});
const worker = new Miniflare({
  host: "127.0.0.1",
  cf: false,
  log: new NoOpLog(),
  workers: [
    {
      name: "edge",
      modules: [{ type: "ESModule", path: "worker.js", contents: await readFile(script, "utf8") }],
      compatibilityDate: "2026-04-01",
      bindings: vars,
      wrappedBindings: { CODE_DB: "rows", ...(index ? { CODE_INDEX: "vectors" } : {}) },
      unsafeDirectSockets: [{ host: "127.0.0.1" }],
    },
    made("rows", DATABASE, database),
    ...(index ? [made("vectors", VECTORS, index)] : []),
  ],
});
process.stdin.once("end", stop).resume();
await worker.ready;
console.log((await worker.unsafeGetDirectURL("edge")).origin);

async function stop() {
  await worker.dispose();
  process.exit(0);
}
