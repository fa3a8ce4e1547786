/**
 * The Worker as one ES module with its source map: `node worker/build.mjs`.
 *
 * `--test FILE` builds what the tests ask, one line of JSON after another; with `--entry NAME` it is
 * the Worker of `worker/test/NAME.ts` instead of the one with an index.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { build } from "esbuild";

const HERE = import.meta.dirname ?? new URL(".", import.meta.url).pathname;
const { values: options } = parseArgs({
  options: {
    test: { type: "string" },
    entry: { type: "string" },
    out: { type: "string", default: join(HERE, "../src/feeder/edge/worker.js") },
    python: { type: "string", default: join(HERE, "../.venv/bin/python") },
  },
});

mkdirSync(join(HERE, "build"), { recursive: true });
const shared = execFileSync(options.python, [join(HERE, "shared.py")]);
// another build may read it at this moment
const written = join(HERE, `build/shared.json.${process.pid}`);
writeFileSync(written, shared);
renameSync(written, join(HERE, "build/shared.json"));

const common = { bundle: true, format: "esm", target: "es2022", logLevel: "warning" };
if (options.test) {
  const entry = join(HERE, "test/peer.ts");
  await build({ ...common, entryPoints: [entry], outfile: options.test, platform: "node" });
} else {
  const entry = join(HERE, options.entry ? `test/${options.entry}.ts` : "src/index.ts");
  const built = { outfile: options.out, sourcemap: true, sourcesContent: true, minify: true };
  await build({ ...common, ...built, entryPoints: [entry], platform: "browser", charset: "utf8" });
}
