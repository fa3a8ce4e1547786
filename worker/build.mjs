/**
 * Builds the Worker as one ES module: `node worker/build.mjs`.
 *
 * `--check` builds without writing, and fails unless the committed files equal the build. `--test
 * FILE` builds the functions that the tests call from Python. `--entry NAME` builds the Worker of
 * `worker/test/NAME.ts`, with other answers, instead of the one with an index.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { build } from "esbuild";

const HERE = import.meta.dirname ?? new URL(".", import.meta.url).pathname;
const { values: options } = parseArgs({
  options: {
    check: { type: "boolean" },
    test: { type: "string" },
    entry: { type: "string" },
    out: { type: "string", default: join(HERE, "../src/feeder/edge/worker.js") },
    python: { type: "string", default: join(HERE, "../.venv/bin/python") },
  },
});

mkdirSync(join(HERE, "build"), { recursive: true });
const data = execFileSync(options.python, ["-m", "feeder.edge.worker_data"]);
// renamed into place, since another build may read it at this moment
const part = join(HERE, `build/worker_data.json.${process.pid}`);
writeFileSync(part, data);
renameSync(part, join(HERE, "build/worker_data.json"));

const common = { bundle: true, format: "esm", target: "es2022", logLevel: "warning" };
if (options.test) {
  const entry = join(HERE, "test/peer.ts");
  await build({ ...common, entryPoints: [entry], outfile: options.test, platform: "node" });
} else {
  const entry = join(HERE, options.entry ? `test/${options.entry}.ts` : "src/index.ts");
  const { outputFiles } = await build({
    ...common,
    entryPoints: [entry],
    outfile: options.out,
    platform: "browser",
    charset: "utf8",
    minify: true,
    write: !options.check,
  });
  if (options.check && !outputFiles.every(isCommitted)) {
    console.error("src/feeder/edge/worker.js does not equal its sources. Run: make worker");
    process.exit(1);
  }
}

function isCommitted({ path, contents }) {
  try {
    return readFileSync(path).equals(contents);
  } catch {
    return false;
  }
}
