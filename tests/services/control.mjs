/** What tests can do to the stand-in beside using it: `/__control__/…`. */

import { shown } from "./vectorize.mjs";

const PREFIX = "/__control__/";

const ORDERS = {
  reset: (standin) => standin.reset(),
  settings: (standin, values) => standin.settings.change(values),
  clock: (standin, { advance_s: seconds = 0, freeze = false }) => {
    if (freeze) standin.clock.freeze();
    standin.clock.advance(seconds);
    return { now: standin.clock.iso() };
  },
  faults: (standin, specs) => specs.forEach((spec) => standin.faults.add(spec)),
  tokens: (standin, { token, permissions }) => standin.tokens.grant(token, permissions),
  spend: (standin, { token, requests }) => standin.limiter.spend(token, requests),
  deploy: (standin, order) => standin.deploy(order),
  settle: (standin, { index }) => ({ settled: standin.vectorize.settle(index) }),
};

const VIEWS = {
  faults: (standin) => standin.faults.list(),
  log: (standin, query) => standin.log.entries(Number(query.get("since") ?? 0)),
  counts: (standin) => standin.log.counts(),
  vectors: (standin, query) => {
    const { vectors, pending } = standin.vectorize.dump(query.get("index"));
    return { vectors: vectors.map(shown), pending };
  },
};

export function isControl(url) {
  return url.startsWith(PREFIX);
}

/** An order's or a view's answer; a mistake in the order is a 400 with its sentence. */
export async function control(standin, { method, url, body }) {
  const { pathname, searchParams } = new URL(url, "http://standin");
  const name = pathname.slice(PREFIX.length);
  const known = method === "GET" ? VIEWS : ORDERS;
  if (!Object.hasOwn(known, name)) return replied(404, { error: `no ${method} ${name}` });
  try {
    const given = method === "GET" ? searchParams : JSON.parse(body.toString("utf8") || "{}");
    return replied(200, (await known[name](standin, given)) ?? {});
  } catch (error) {
    return replied(400, { error: error.message });
  }
}

function replied(status, value) {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}
