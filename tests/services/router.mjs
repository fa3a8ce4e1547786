/** Which route a request takes, by its method and its path. */

import { ApiError } from "./envelope.mjs";

const PREFIX = "/client/v4";

export class Router {
  #routes;

  constructor(routes) {
    this.#routes = routes.map((route) => ({ ...route, segments: route.path.slice(1).split("/") }));
  }

  /** The route and its parameters; a known path with another method is 7001, any other 7000. */
  find(method, path) {
    const segments = segmentsOf(path);
    const found = this.#routes.flatMap((route) => {
      const params = matched(route.segments, segments);
      return params ? [{ ...route, params }] : [];
    });
    const match = found.find((route) => route.method === method);
    if (match) return match;
    if (found.length > 0) {
      throw new ApiError(405, 7001, `${method} not supported for requested URI.`);
    }
    throw new ApiError(400, 7000, "No route for that URI");
  }
}

function segmentsOf(path) {
  if (!path.startsWith(`${PREFIX}/`)) throw new ApiError(400, 7000, "No route for that URI");
  return path.slice(PREFIX.length + 1).split("/").map(decoded);
}

/** A `%2F` stays as it is, so that an encoded slash never becomes one of the path. */
function decoded(segment) {
  try {
    return decodeURIComponent(segment.replace(/%2f/gi, (slash) => `%25${slash.slice(1)}`));
  } catch {
    throw new ApiError(400, 7000, "No route for that URI");
  }
}

function matched(pattern, segments) {
  const params = {};
  for (const [at, part] of pattern.entries()) {
    if (part.startsWith("*")) {
      params[part.slice(1)] = segments.slice(at).join("/");
      return segments.length > at ? params : undefined;
    }
    if (segments[at] === undefined || segments[at] === "") return undefined;
    if (part.startsWith(":")) params[part.slice(1)] = segments[at];
    else if (part !== segments[at]) return undefined;
  }
  return segments.length === pattern.length ? params : undefined;
}
