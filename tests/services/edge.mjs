/**
 * A Worker in workerd beside the databases, with the stand-in's Vectorize and Workers AI as bindings.
 *
 * Those have no local engine: a binding is a few lines of JavaScript whose every call is a request
 * to the stand-in, with its limits, its faults and its log.
 */

import { readFileSync } from "node:fs";

import { OWN_SOCKET } from "./runtime_request.mjs";
import { ACCOUNT, TOKEN } from "./tokens.mjs";

const COMPATIBILITY_DATE = "2026-04-01";
const PREFIX = "/__edge__";
const BASE = `/client/v4/accounts/${ACCOUNT}`;

// Called over RPC. As wrapped bindings they would let miniflare look for cycles in each byte of the model, for 0.5 s.
const BINDINGS = `
import { WorkerEntrypoint } from "cloudflare:workers";
const asked = async (fetcher, path, body) => {
  const init = { method: "POST", body: JSON.stringify(body) };
  const { success, result, errors } = await (await fetcher.fetch("http://standin" + path, init)).json();
  if (success) return result;
  throw new Error(errors.map(({ code, message }) => code + ": " + message).join("; ") || "lost");
};
export class AI extends WorkerEntrypoint {
  run(model, input) {
    return asked(this.env.standin, "/ai/run/" + model, input);
  }
}
export class Vectorize extends WorkerEntrypoint {
  #path = "/vectorize/v2/indexes/" + this.env.index;
  query(vector, options) {
    return asked(this.env.standin, this.#path + "/query", { vector, ...options });
  }
  async queryById(id, options) {
    const [found] = await asked(this.env.standin, this.#path + "/get_by_ids", { ids: [id] });
    if (!found) throw new Error("40012: VECTOR_QUERY_ERROR: vector not found");
    return this.query(found.values, options);
  }
}`;

const MODEL = new URL("../../src/feeder/embedding/static_model.bin", import.meta.url);

/** The workers of an order: the Worker, and what its bindings are made of. */
export function workersOf({ script, bindings, indexes, ai, web, vars }, standin) {
  const made = (name, values) => ({
    name,
    modules: [{ type: "ESModule", path: `${name}.mjs`, contents: BINDINGS }],
    compatibilityDate: COMPATIBILITY_DATE,
    serviceBindings: { standin: (request) => replied(standin, request) },
    bindings: values,
  });
  const ofIndexes = Object.entries(indexes).map(([name, index]) => ({ name, index, worker: `edge-vectorize-${name}` }));
  return [
    {
      name: "edge",
      modules: [
        { type: "ESModule", path: "worker.mjs", contents: readFileSync(script, "utf8") },
        { type: "Data", path: "static_model.bin", contents: readFileSync(MODEL) },
      ],
      compatibilityDate: COMPATIBILITY_DATE,
      ...OWN_SOCKET,
      bindings: vars,
      d1Databases: bindings,
      outboundService: (request) => reached(web, request),
      serviceBindings: {
        ...(ai ? { AI: { name: "edge-ai", entrypoint: "AI" } } : {}),
        ...Object.fromEntries(ofIndexes.map(({ name, worker }) => [name, { name: worker, entrypoint: "Vectorize" }])),
      },
    },
    ...(ai ? [made("edge-ai", {})] : []),
    ...ofIndexes.map(({ worker, index }) => made(worker, { index })),
  ];
}

async function replied(standin, request) {
  const { pathname } = new URL(request.url);
  const { reply } = await standin.answer({
    method: request.method,
    url: `${BASE}${pathname}`,
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    body: Buffer.from(await request.arrayBuffer()),
  });
  return new Response(reply.body, { status: reply.status, headers: reply.headers });
}

/** What the Worker fetches: another server answers for all sites, by their names; none does unless said. */
async function reached(web, request) {
  if (!web) return new Response("there is no network", { status: 503 });
  const { host, pathname, search } = new URL(request.url);
  const cache = JSON.stringify(request.cf?.cacheTtlByStatus ?? {});
  const headers = { ...Object.fromEntries(request.headers), "x-cache-ttl-by-status": cache };
  const found = await fetch(`${web}/${host}${pathname}${search}`, { headers });
  return new Response(await found.arrayBuffer(), { status: found.status });
}

export function isEdge(url) {
  return url.startsWith(`${PREFIX}/`);
}

/** What the Worker answers to a request below the prefix. */
export function atEdge(engine, { method, url, headers, body }) {
  return engine.ask("edge", url.slice(PREFIX.length), { method, headers, body });
}
