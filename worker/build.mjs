/**
 * Builds the Worker as one ES module, and `oauth.js` beside it, which imports it and adds sign-in:
 * `node worker/build.mjs`.
 *
 * `--check` builds without writing, and fails unless the committed files equal the build. `--test
 * FILE` builds the functions that the tests call from Python. `--entry NAME` builds the Worker of
 * `worker/test/NAME.ts`, with other answers, instead of the one with an index.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
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

// wrangler uploads it beside the Worker
const MODEL_FILE = "./static_model.bin";
const common = { bundle: true, external: [MODEL_FILE], format: "esm", target: "es2022", logLevel: "warning" };
if (options.test) {
  const entry = join(HERE, "test/peer.ts");
  await build({ ...common, entryPoints: [entry], outfile: options.test, platform: "node" });
} else {
  const entry = join(HERE, options.entry ? `test/${options.entry}.ts` : "src/index.ts");
  const bundle = { ...common, platform: "browser", charset: "utf8", minify: true, write: !options.check };
  const worker = { entryPoints: [entry], outfile: options.out };
  const oauth = {
    entryPoints: [join(HERE, "src/oauth/index.ts")],
    outfile: join(dirname(options.out), "oauth.js"),
    external: [MODEL_FILE, "cloudflare:workers"],
    plugins: [{ name: "worker", setup: leaveOutWorker }],
    banner: { js: licence() },
  };
  for (const one of [worker, oauth]) {
    const { outputFiles } = await build({ ...bundle, ...one });
    if (options.check && !outputFiles.every(isCommitted)) {
      console.error(`src/feeder/edge/${basename(one.outfile)} does not equal its sources. Run: make worker`);
      process.exit(1);
    }
  }
}

/** Leaves the Worker out of `oauth.js`, which imports it as a file. */
function leaveOutWorker(plugin) {
  plugin.onResolve({ filter: /^\.\.\/index\.ts$/ }, () => ({ path: "./worker.js", external: true }));
}

/** The licence of the library that `oauth.js` contains. */
function licence() {
  const text = readFileSync(join(HERE, "../node_modules/@cloudflare/workers-oauth-provider/LICENSE.txt"), "utf8");
  return `/*! @cloudflare/workers-oauth-provider\n\n${text.trim()}\n*/`;
}

function isCommitted({ path, contents }) {
  try {
    return readFileSync(path).equals(contents);
  } catch {
    return false;
  }
}
