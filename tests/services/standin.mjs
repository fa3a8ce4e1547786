/** The stand-in as one object: its services, and the way from a request to a reply. */

import { randomBytes } from "node:crypto";

import { WorkersAi } from "./ai.mjs";
import { Clock } from "./clock.mjs";
import { D1 } from "./d1.mjs";
import { workersOf } from "./edge.mjs";
import { Engine } from "./engine.mjs";
import { ApiError, failure, html } from "./envelope.mjs";
import { Faults, isAfter } from "./faults.mjs";
import { Limiter } from "./limiter.mjs";
import { Log } from "./log.mjs";
import { Router } from "./router.mjs";
import { Settings } from "./settings.mjs";
import { Tokens } from "./tokens.mjs";
import { Vectorize } from "./vectorize.mjs";

const MAX_BODY_BYTES = 100_000_000;

export class StandIn {
  clock = new Clock();
  settings = new Settings();
  tokens = new Tokens();
  faults = new Faults(this.clock);
  limiter = new Limiter(this.clock, this.settings);
  log = new Log();
  vectorize = new Vectorize(this.clock, this.settings);
  #router;

  static async start() {
    const standin = new StandIn();
    standin.engine = await Engine.start();
    standin.d1 = new D1(standin.engine, standin.clock, standin.settings);
    const ai = new WorkersAi(standin.settings);
    const services = [standin.tokens, standin.d1, standin.vectorize, ai];
    standin.#router = new Router(services.flatMap((service) => service.routes()));
    return standin;
  }

  /** Puts a Worker beside databases, by their ids: one, or several by the names of their bindings. */
  async deploy({ database, databases = {}, index, indexes = {}, ...order }) {
    const ids = Object.entries({ ...(database ? { CODE_DB: database } : {}), ...databases });
    const bindings = Object.fromEntries(ids.map(([name, id]) => [name, this.d1.bindingOf(id)]));
    const named = { ...(index ? { CODE_INDEX: index } : {}), ...indexes };
    await this.engine.deploy(workersOf({ ...order, bindings, indexes: named }, this));
  }

  async reset() {
    const parts = [this.clock, this.settings, this.tokens, this.faults, this.limiter, this.log];
    for (const part of [...parts, this.vectorize]) part.reset();
    await this.engine.deploy([]);
    await this.d1.reset();
  }

  /** The reply to a request, and the fault that the connection must show with it. */
  async answer({ method, url, headers, body }) {
    const { pathname, search } = split(url);
    const entry = this.log.open(method, pathname, body.length);
    const call = {
      headers,
      body,
      query: new URLSearchParams(search),
      note: (facts) => Object.assign(entry, facts),
    };
    const { reply, fault } = await this.#admitted(method, pathname, call, entry);
    reply.headers["cf-ray"] = ray();
    entry.status = reply.status;
    return { reply, fault };
  }

  async #admitted(method, path, call, entry) {
    let limit = { headers: {} };
    let outcome;
    try {
      const token = this.tokens.authenticate(call.headers, path.endsWith("/user/tokens/verify"));
      const route = this.#router.find(method, path);
      [entry.service] = route.name.split(".");
      entry.route = route.name;
      limit = this.limiter.admit(token);
      outcome = limit.waitS
        ? { reply: throttled(entry) }
        : await this.#played(route, token, call, entry);
    } catch (error) {
      outcome = { reply: replyTo(error, entry) };
    }
    Object.assign(outcome.reply.headers, { ...limit.headers, ...outcome.reply.headers });
    return outcome;
  }

  /** Does the work, unless a fault comes before it. */
  async #played(route, token, call, entry) {
    const fault = this.faults.next({ route: route.name, body: call.body });
    if (!fault) return { reply: await this.#worked(route, token, call, entry) };
    entry.fault = fault.kind;
    const real = isAfter(fault) ? await this.#worked(route, token, call, entry) : undefined;
    const reply = this.faults.replyOf(fault) ?? real ?? failure(500, []);
    return { reply, fault };
  }

  async #worked(route, token, call, entry) {
    try {
      this.tokens.authorize(token, entry.service, route.params.account, entry.path);
      if (call.body.length > MAX_BODY_BYTES) return html(413, "413 Request Entity Too Large");
      return await route.run({ ...call, params: route.params });
    } catch (error) {
      return replyTo(error, entry);
    }
  }
}

function replyTo(error, entry) {
  if (!(error instanceof ApiError)) throw error;
  entry.code = error.errors[0].code;
  return failure(error.status, error.errors, error.headers);
}

function throttled(entry) {
  const message = "Please wait and consider throttling your request speed";
  return replyTo(new ApiError(429, 971, message), entry);
}

/** Not by `URL`, which would change the path: an encoded slash is a trap worth keeping. */
function split(url) {
  const [pathname, search = ""] = url.split("?", 2);
  return { pathname, search };
}

function ray() {
  return `${randomBytes(8).toString("hex")}-FRA`;
}
