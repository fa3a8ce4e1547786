/**
 * Runs the Worker in its own workerd, so that the process' CPU time is the Worker's: `isolate.mjs
 * '{"script": …, "vars": …, "token": …, "database": …, "index": …}'`.
 *
 * The bindings call the stand-in over HTTP; D1's SQLite runs in another process. Prints its address
 * on stdout and serves until stdin closes.
 */

import { readFile } from "node:fs/promises";

import { Miniflare, NoOpLog } from "miniflare";

const CALL_API = `
const callApi = async ({ address, token }, path, body) => {
  const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
  const init = { method: "POST", body: JSON.stringify(body), headers };
  const { success, result, errors } = await (await fetch(address + path, init)).json();
  if (success) return result;
  throw new Error(errors.map(({ message }) => message).join("; "));
};`;
const DATABASE = `${CALL_API}
export default (api) => ({
  withSession: () => ({
    prepare: (sql) => ({ sql, params: [], bind(...params) { return { ...this, params }; } }),
    batch: (statements) =>
      callApi(api, "/query", { batch: statements.map(({ sql, params }) => ({ sql, params })) }),
  }),
});`;
const VECTORS = `${CALL_API}
export default (api) => ({
  query: (vector, options) => callApi(api, "/query", { vector, ...options }),
});`;

const { script, vars, token, database, index } = JSON.parse(process.argv[2]);
const model = new URL("../../src/feeder/embedding/static_model.bin", import.meta.url);
const binding = (name, contents, address) => ({
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
      modules: [
        { type: "ESModule", path: "worker.js", contents: await readFile(script, "utf8") },
        { type: "Data", path: "static_model.bin", contents: await readFile(model) },
      ],
      compatibilityDate: "2026-04-01",
      bindings: vars,
      wrappedBindings: { CODE_DB: "rows", ...(index ? { CODE_INDEX: "vectors" } : {}) },
      unsafeDirectSockets: [{ host: "127.0.0.1" }],
    },
    binding("rows", DATABASE, database),
    ...(index ? [binding("vectors", VECTORS, index)] : []),
  ],
});
process.stdin.once("end", stop).resume();
await worker.ready;
console.log((await worker.unsafeGetDirectURL("edge")).origin);

async function stop() {
  await worker.dispose();
  process.exit(0);
}
