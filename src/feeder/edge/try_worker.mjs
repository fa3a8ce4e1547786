// Runs the Worker on this machine: `try_worker.mjs '{"folder": …, "index": …, "port": …, "vars": …, "from": …}'`.
//
// Its D1 is workerd's, with a copy of the index in `index`. Prints its address on stdout and serves until stdin
// closes. Ends with 3 if miniflare is not installed in the folder `from` or above, alone or with wrangler.

import { copyFile, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const MISSING = 3;
const { folder, index, port, vars, from } = JSON.parse(process.argv[2]);
const { Miniflare, NoOpLog } = await import(pathToFileURL(findMiniflare()).href);
const state = join(folder, "d1");
const databases = { d1Databases: { CODE_DB: "code" }, d1Persist: state };

await fillDatabase();
const worker = new Miniflare({
  host: "127.0.0.1",
  port,
  cf: false,
  log: new NoOpLog(),
  modules: [{ type: "ESModule", path: "worker.js", contents: await readFile(join(folder, "worker.js"), "utf8") }],
  compatibilityDate: "2026-04-01",
  bindings: vars,
  ...databases,
  assets: {
    directory: join(folder, "assets"),
    routerConfig: { has_user_worker: true, static_routing: { user_worker: ["/api/*", "/mcp"] } },
  },
});
process.stdin.once("end", stop).resume();
console.log((await worker.ready).origin);

/** The path of miniflare's module. */
function findMiniflare() {
  const require = createRequire(join(from, "package.json"));
  try {
    return require.resolve("miniflare");
  } catch {
    try {
      return createRequire(require.resolve("wrangler/package.json")).resolve("miniflare");
    } catch {
      process.exit(MISSING);
    }
  }
}

/** Puts the index in place of the empty database that miniflare creates. */
async function fillDatabase() {
  const first = new Miniflare({ modules: true, script: "export default {}", cf: false, log: new NoOpLog(), ...databases });
  await (await first.getD1Database("CODE_DB")).prepare("SELECT 1").run();
  await first.dispose();
  const place = join(state, "miniflare-D1DatabaseObject");
  const files = (await readdir(place)).filter((name) => !name.startsWith("metadata."));
  const database = files.find((name) => name.endsWith(".sqlite"));
  for (const name of files) await rm(join(place, name));
  await copyFile(index, join(place, database));
}

async function stop() {
  await worker.dispose();
  process.exit(0);
}
