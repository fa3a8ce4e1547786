/** A Worker that forwards requests to `feeder serve`, to test the page at the edge. */

import type { Params } from "../src/api/types.ts";
import { HttpError } from "../src/http_error.ts";
import { createApp } from "../src/app.ts";

async function answer(name: string, params: Params): Promise<object> {
  const query = new URLSearchParams();
  for (const [key, values] of Object.entries(params)) {
    for (const value of values) query.append(key, value);
  }
  const response = await fetch(`https://program.example/api/${name}?${query}`);
  const body = (await response.json()) as { error: string; remedy: string };
  if (!response.ok) throw new HttpError(response.status, body.error, body.remedy);
  return body;
}

export default createApp(answer);
