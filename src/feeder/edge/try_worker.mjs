// Runs the Worker on this machine. The first line of stdin is
// `{"folder": …, "index": …, "port": …, "vars": …, "from": …}`: all users can read arguments, and `vars` has a token.
//
// Its D1 is workerd's, with a copy of the index in `index`. Prints its port on stdout, serves until stdin closes, and
// then deletes the folder, also if the program that started it was killed. Ends with 3 if miniflare is not installed in
// the folder `from` or above, alone or with wrangler.

import { once } from "node:events";
import { copyFile, readdir, readFile, rm } from "node:fs/promises";
import http from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const MISSING = 3;
const input = createInterface({ input: process.stdin });
const ended = new Promise((resolve) => { input.once("close", resolve); });
const [line] = await once(input, "line");
const { folder, index, port, vars, from } = JSON.parse(line);
closeOwnServers();
const { Miniflare, NoOpLog } = await import(pathToFileURL(findMiniflare()).href);
const state = join(folder, "d1");
const databases = { d1Databases: { CODE_DB: "code" }, d1Persist: state };

await fillDatabase();
const worker = new Miniflare({
  host: "127.0.0.1",
  port,
  cf: false,
  log: new NoOpLog(),
  modules: [
    { type: "ESModule", path: "worker.js", contents: await readFile(join(folder, "worker.js"), "utf8") },
    { type: "Data", path: "static_model.bin", contents: await readFile(join(folder, "static_model.bin")) },
  ],
  compatibilityDate: "2026-04-01",
  bindings: vars,
  ...databases,
  assets: {
    directory: join(folder, "assets"),
    routerConfig: { has_user_worker: true, static_routing: { user_worker: ["/api/*", "/mcp"] } },
  },
});
console.log((await worker.ready).port);
await ended;
await worker.dispose();
await rm(folder, { recursive: true, force: true });
process.exit(0);

/**
 * Makes servers of this process end each connection.
 *
 * Miniflare has one, for Workers that call back into it. It answers every user and page of this machine, and its
 * `/core/store-temp-file` writes a file at any path. This Worker does not need it; workerd serves the requests.
 */
function closeOwnServers() {
  const { createServer } = http;
  http.createServer = (...options) => createServer(...options).on("connection", (socket) => socket.destroy());
}

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
