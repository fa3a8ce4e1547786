// Runs the Worker over many D1 databases: `many_databases.mjs '{"script": …, "folder": …, "databases": {…}}'`.
//
// `databases` has an index file for each repository. Prints the address of
// the Worker and serves until stdin closes.

import { copyFile, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

import { Miniflare, NoOpLog } from "miniflare";

const { script, folder, databases } = JSON.parse(process.argv[2]);
const model = new URL("../src/feeder/embedding/static_model.bin", import.meta.url);
const names = Object.keys(databases);
const bindingOf = (at) => (at === 0 ? "CODE_DB" : `CODE_DB_${at + 1}`);
const bindings = Object.fromEntries(names.map((_, at) => [bindingOf(at), `database-${at}`]));
const stored = { d1Databases: bindings, d1Persist: folder };

await fill();
const worker = new Miniflare({
  cf: false,
  log: new NoOpLog(),
  modules: [
    { type: "ESModule", path: "worker.js", contents: await readFile(script, "utf8") },
    { type: "Data", path: "static_model.bin", contents: await readFile(model) },
  ],
  compatibilityDate: "2026-04-01",
  bindings: { PUBLIC: "true", REPOSITORIES: Object.fromEntries(names.map((name, at) => [name, bindingOf(at)])) },
  ...stored,
});
process.stdin.once("end", () => worker.dispose().then(() => process.exit(0))).resume();
console.log((await worker.ready).origin);

/** Puts the index files in place of the empty databases, which a table of its own tells apart. */
async function fill() {
  const first = new Miniflare({ modules: true, script: "export default {}", cf: false, log: new NoOpLog(), ...stored });
  for (const [at] of names.entries()) {
    await (await first.getD1Database(bindingOf(at))).exec(`CREATE TABLE marked_${at}_(x)`);
  }
  await first.dispose();
  const place = join(folder, "miniflare-D1DatabaseObject");
  const files = (await readdir(place)).filter((name) => !name.startsWith("metadata."));
  for (const file of files.filter((name) => name.endsWith(".sqlite"))) {
    const own = files.filter((name) => name.startsWith(file));
    const texts = await Promise.all(own.map((name) => readFile(join(place, name), "latin1")));
    const at = texts.map((text) => /marked_(\d+)_/.exec(text)?.[1]).find((one) => one !== undefined);
    for (const name of own) await rm(join(place, name));
    if (at !== undefined) await copyFile(databases[names[Number(at)]], join(place, file));
  }
}
