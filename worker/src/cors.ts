/** Cross-origin requests: a browser may call the API from the Worker's own page and from the sites in ORIGINS. */

import type { Env } from "./bindings/env.ts";
import { HttpError } from "./http_error.ts";
import { truncate } from "./python_strings.ts";
import { constants } from "../build/worker_data.json";

/** Values of `Sec-Fetch-Site` for requests of the own page and of the user. */
const OWN_SITES: readonly string[] = constants.page_files.OWN_FETCH_SITES;
const MAX_ORIGIN_CHARS = 100;
const REQUEST_HEADERS = [
  "authorization, content-type, if-none-match, mcp-protocol-version, mcp-method, mcp-name",
  "cf-access-client-id, cf-access-client-secret",
].join(", ");

/**
 * The origin of a request from another site; null for a program and for the Worker's own page.
 *
 * Programs send no origin; browsers send the header `origin` or `sec-fetch-site`. Throws an HttpError for
 * a site that is not in ORIGINS.
 */
export function requestingSite(request: Request, env: Env): string | null {
  const origin = request.headers.get("origin");
  const allowed = (env.ORIGINS ?? "").split(/[\s,]+/).filter(Boolean);
  if (origin !== null && allowed.includes(origin)) return origin;
  const isOwn = origin === null || origin === new URL(request.url).origin;
  const site = request.headers.get("sec-fetch-site") ?? "none";
  if (isOwn && OWN_SITES.includes(site)) return null;
  const named = origin?.startsWith("http") ? truncate(origin, MAX_ORIGIN_CHARS) : "the site, as in https://docs.example.com,";
  const remedy = `Send it from the Worker's own page, or add ${named} to ORIGINS in [vars] of wrangler's configuration, and deploy.`;
  throw new HttpError(403, "The request comes from another site's page.", remedy);
}

/** Returns true for a CORS preflight request. */
export function isPreflight(request: Request): boolean {
  return request.method === "OPTIONS" && request.headers.has("access-control-request-method");
}

/** The response to a preflight request. */
export function preflightResponse(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      "access-control-allow-methods": "GET, POST",
      "access-control-allow-headers": REQUEST_HEADERS,
      "access-control-max-age": "86400",
    },
  });
}

/** The CORS headers that let pages of a site read the response. */
export function corsHeaders(site: string | null): Record<string, string> {
  if (!site) return { vary: "origin" };
  return {
    vary: "origin",
    "access-control-allow-origin": site,
    "access-control-expose-headers": "etag, retry-after, server-timing",
  };
}
