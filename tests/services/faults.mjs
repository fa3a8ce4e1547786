/** Which requests go wrong, and how: answers on order, by number, by route or by chance. */

import { failure, html, success } from "./envelope.mjs";

const WAIT = "Please wait and consider throttling your request speed";
const QUOTA =
  "you have used up your daily free allocation of 10,000 neurons, please upgrade to Cloudflare's " +
  "Workers Paid plan if you would like to continue usage.";

const BROKEN = "internal server error";

/** Faults that are an answer; `retry_after` in seconds where the live service sends one. */
const ANSWERS = {
  throttled: { status: 429, code: 971, message: WAIT, retry_after: 5 },
  throttled_silent: { status: 429, code: 971, message: WAIT },
  throttled_10429: { status: 429, code: 10429, message: "Rate limited. Please try again later." },
  server_error: { status: 500, code: 10001, message: BROKEN },
  bad_gateway: { status: 502, title: "502 Bad Gateway" },
  unavailable: { status: 503, title: "503 Service Temporarily Unavailable" },
  no_receipt: { status: 200, result: [] },
  success_false: { status: 200, code: 10001, message: BROKEN },
  d1_internal: d1("internal error; reference = 4gkq81vn7d"),
  d1_lost: d1("Network connection lost."),
  d1_updated: d1("D1 DB reset because its code was updated."),
  d1_object_reset: d1("Internal error in D1 DB storage caused object to be reset."),
  d1_unresolved: d1("Cannot resolve D1 DB due to transient issue on remote node."),
  d1_timeout: d1("D1 DB storage operation exceeded timeout which caused object to be reset."),
  d1_overloaded: d1("D1 DB is overloaded. Requests queued for too long."),
  d1_memory: d1("D1 DB exceeded its memory limit and was reset."),
  d1_cpu: d1("D1 DB exceeded its CPU time limit and was reset."),
  d1_daily_rows: d1("Your account has exceeded D1's free tier daily row write limit.", 400),
  ai_daily_neurons: { status: 429, code: 3036, message: ai(QUOTA) },
  ai_capacity: {
    status: 429,
    code: 3040,
    message: ai("Capacity temporarily exceeded, please try again."),
  },
  vectorize_throttled: { status: 400, code: 40041, message: "Too Many Requests" },
};

/** Faults of the connection; the last one cuts the real answer, so the work is done. */
const BREAKS = ["reset", "hang", "half_body"];
const WHEN = ["route", "requests", "times", "rate", "seed", "statements_above", "bytes_above"];
const WHAT = ["kind", "after", "status", "code", "message", "retry_after", "retry_at_s"];
const FIELDS = [...WHEN, ...WHAT];

export class Faults {
  #clock;
  #queued = [];

  constructor(clock) {
    this.#clock = clock;
  }

  reset() {
    this.#queued = [];
  }

  add(spec) {
    const unknown = Object.keys(spec).filter((field) => !FIELDS.includes(field));
    if (unknown.length > 0) throw new Error(`a fault has no ${unknown.join(", ")}`);
    if (!(spec.kind in ANSWERS) && !BREAKS.includes(spec.kind)) {
      throw new Error(`no fault is called ${spec.kind}`);
    }
    this.#queued.push({ spec, seen: 0, fired: 0, chance: random(spec.seed ?? 1) });
  }

  list() {
    return this.#queued.map(({ spec, seen, fired }) => ({ ...spec, seen, fired }));
  }

  /** The fault of this request, if any: all that match count it, the first one due is played. */
  next(request) {
    const due = this.#queued.filter((fault) => matches(fault.spec, request)).filter(isDue);
    if (due.length === 0) return undefined;
    due[0].fired += 1;
    return due[0].spec;
  }

  /** The reply that a fault of the answering sort is; undefined for a break of the connection. */
  replyOf(spec) {
    const answer = ANSWERS[spec.kind] && { ...ANSWERS[spec.kind], ...spec };
    if (!answer) return undefined;
    if (answer.result) return success(answer.result);
    const headers = this.#retryHeaders(answer);
    if (answer.title) return html(answer.status, answer.title, headers);
    return failure(answer.status, [{ code: answer.code, message: answer.message }], headers);
  }

  #retryHeaders({ retry_after: wait, retry_at_s: at }) {
    if (at !== undefined) {
      return { "retry-after": new Date(this.#clock.nowMs() + at * 1000).toUTCString() };
    }
    return wait === undefined || wait === null ? {} : { "retry-after": String(wait) };
  }
}

/** SQL errors and passing ones alike have this code: the message tells them apart. */
function d1(message, status = 500) {
  return { status, code: 7500, message };
}

function ai(message) {
  return `AiError: AiError: ${message}`;
}

/** Whether the work is done before the fault shows. */
export function isAfter({ kind, after }) {
  return after === true || kind === "half_body";
}

function matches({ route = "*", statements_above, bytes_above }, request) {
  const pattern = new RegExp(`^${route.replaceAll(".", "\\.").replaceAll("*", ".*")}$`);
  if (!pattern.test(request.route)) return false;
  if (statements_above !== undefined && !(statementsIn(request) > statements_above)) return false;
  return bytes_above === undefined || request.body.length > bytes_above;
}

function statementsIn({ body }) {
  try {
    return JSON.parse(body.toString("utf8")).batch?.length ?? 1;
  } catch {
    return 0;
  }
}

function isDue(fault) {
  const { requests, rate, statements_above, bytes_above, times } = fault.spec;
  fault.seen += 1;
  if (requests !== undefined) return requests.includes(fault.seen);
  if (rate !== undefined && fault.chance() >= rate) return false;
  // A fault for what is too large stays, as the limit it stands for does; others happen once.
  const isLasting = [rate, statements_above, bytes_above].some((limit) => limit !== undefined);
  return fault.fired < (times ?? (isLasting ? Infinity : 1));
}

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
