/** Counts the queries that a request sends to D1, and refuses those that Cloudflare would refuse. */

import { HttpError } from "../http_error.ts";
import type { Env } from "./env.ts";

/** The queries that a request may send on Cloudflare's free plan; 1,000 on the paid one. */
const FREE_QUERIES = 50;

/** The queries to D1 of one request, of those that the plan allows. */
export class QueryBudget {
  #count = 0;
  readonly limit: number;

  constructor(env: Env) {
    this.limit = Number(env.D1_QUERIES) || FREE_QUERIES;
  }

  /** The queries that the request may still send. */
  get remaining(): number {
    return this.limit - this.#count;
  }

  /** The queries that it has sent. */
  get count(): number {
    return this.#count;
  }

  /** Counts queries that are about to be sent; throws an HttpError, before they are, if they are too many. */
  take(count: number): void {
    if (count > this.remaining) {
      const error = `The request needs more than ${this.limit} queries to D1, as many as the Worker may send for one.`;
      throw new HttpError(400, error, QUERIES_REMEDY);
    }
    this.#count += count;
  }
}

const QUERIES_REMEDY =
  "Ask for less at once: fewer targets, or one repository with repo:NAME. On Cloudflare's paid plan, set the variable D1_QUERIES " +
  "of the Worker to 1000.";
