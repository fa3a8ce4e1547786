// Worker's folders in workerd, one after the other, as `npx wrangler dev` would run them.
//
// Each line of stdin starts one, such as `{"folder": …}`, and its address is printed. An empty line stops it, which is
// printed as an empty line: a process is used again, because to load miniflare takes a second.
//
// `script` replaces worker.js; `vars` are variables and secrets, `limit` the requests per minute, `token_limit` those of a
// token, `certs` the answers to the Worker's own requests, by path. If `program` is given, with an address and a token, that server answers these
// requests. The database runs `statements` first; with `refused` it fails with that message, and with `rest` it is a
// database behind an API's address, with a token. With `github`, the address of a stand-in for GitHub's sign-in,
// `oauth.js` beside the script runs; what its store holds stays in the folder `store`, and a request with the host
// `expiry.example` lets all access tokens there expire.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

import { fetch, Miniflare, NoOpLog, Response } from "miniflare";

const REFUSING = `export default ({ message }) => ({
  withSession: () => ({
    prepare: () => ({ bind() { return this; } }),
    batch: async () => { throw new Error(message); },
  }),
});`;
const REST = `export default ({ address, token }) => ({
  withSession: () => ({
    prepare: (sql) => ({ sql, params: [], bind(...params) { return { ...this, params }; } }),
    batch: async (statements) => {
      const body = JSON.stringify({ batch: statements.map(({ sql, params }) => ({ sql, params })) });
      const headers = { authorization: "Bearer " + token };
      const { success, result, errors } = await (await fetch(address, { method: "POST", headers, body })).json();
      if (success) return result;
      throw new Error("D1_ERROR: " + errors[0].message);
    },
  }),
});`;
const EXPIRY = `export default { async fetch(_, { OAUTH_KV: store }) {
  const { keys } = await store.list({ prefix: "token:" });
  for (const { name } of keys) {
    const { value, metadata } = await store.getWithMetadata(name, "json");
    await store.put(name, JSON.stringify({ ...value, expiresAt: Math.floor(Date.now() / 1000) - 1 }), { metadata });
  }
  return new Response(String(keys.length));
} };`;

const MODEL = new URL("../../src/feeder/embedding/static_model.bin", import.meta.url);

let running;
for await (const line of createInterface({ input: process.stdin })) {
  await running?.stop();
  running = line ? await start(JSON.parse(line)) : undefined;
  console.log(running ? running.origin : "");
}
await running?.stop();
process.exit(0);

/** Starts a Worker; returns its address and what stops it. */
async function start(options) {
  const fetchedPaths = [];
  const { folder, script, vars = {}, limit, token_limit, certs = {}, program, database = true, statements = [], refused, rest, github, store, port } = options;
  const binding = refused ? "refusing" : rest && "rest";
  const rates = Object.entries({ LIMIT: limit, TOKEN_LIMIT: token_limit }).filter(([, most]) => most);
  const limits = rates.map(([name, most]) => [name, { simple: { limit: most, period: 60 } }]);
  const workerFile = script ?? join(folder, "worker.js");
  const edge = {
    name: "edge",
    modules: [...(await Promise.all((github ? ["oauth.js", "worker.js"] : ["worker.js"]).map(esModule))), await model()],
    compatibilityDate: "2026-04-01",
    ...(github && { compatibilityFlags: ["global_fetch_strictly_public"], kvNamespaces: { OAUTH_KV: "oauth" } }),
    bindings: vars,
    ...(database && !binding && { d1Databases: { CODE_DB: "code" } }),
    ...(binding && { wrappedBindings: { CODE_DB: binding } }),
    ...(limits.length > 0 && { ratelimits: Object.fromEntries(limits) }),
    assets: {
      directory: join(folder, "assets"),
      routerConfig: { has_user_worker: true, static_routing: { user_worker: ["/api/*", "/mcp", ...(github ? ["/oauth/*", "/.well-known/*"] : [])] } },
    },
    outboundService: outside,
  };
  const made = (name, contents, bindings) => ({ name, modules: [{ type: "ESModule", path: `${name}.mjs`, contents }], bindings });
  const expiry = { ...made("expiry", EXPIRY), kvNamespaces: { OAUTH_KV: "oauth" }, routes: ["expiry.example/*"] };
  const others = { refusing: made("refusing", REFUSING, { message: refused }), rest: made("rest", REST, rest) };
  const common = { host: "127.0.0.1", cf: false, log: new NoOpLog(), ...(port && { port }), ...(store && { kvPersist: store }) };
  const workers = [edge, ...(binding ? [others[binding]] : []), ...(github ? [expiry] : [])];
  const worker = new Miniflare({ ...common, workers });
  const { origin } = await worker.ready;
  if (statements.length) await run(statements);
  return { origin, stop: () => worker.dispose() };

  /** Answers what the Worker fetches: with JSON from `certs`, or with an error of the status that is there. */
  function outside(request) {
    const { pathname, search } = new URL(request.url);
    if (rest && request.url === rest.address) return fetch(request);
    if (github) return fetch(github + pathname + search, request);
    if (program) return fetch(program.address + pathname + search, { headers: { authorization: `Bearer ${program.token}` } });
    if (pathname === "/fetched") return Response.json(fetchedPaths);
    fetchedPaths.push(pathname);
    const answer = certs[pathname] ?? 404;
    return typeof answer === "number" ? new Response("no", { status: answer }) : Response.json(answer);
  }

  async function esModule(path) {
    const contents = await readFile(path === "worker.js" ? workerFile : join(dirname(workerFile), path), "utf8");
    return { type: "ESModule", path, contents };
  }

  async function model() {
    const file = folder && join(folder, "static_model.bin");
    const contents = await readFile(file && existsSync(file) ? file : MODEL);
    return { type: "Data", path: "static_model.bin", contents };
  }

  async function run(statements) {
    const d1 = await worker.getD1Database("CODE_DB", "edge");
    await d1.batch(statements.map((sql) => d1.prepare(sql)));
  }
}
