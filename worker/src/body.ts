/** How much of a request is read? */

import { Refusal } from "./refusal.ts";
import { grouped } from "./shown.ts";
import shared from "../build/shared.json";

export const BODY_BYTES = shared.serve.body_bytes;

/** The whole body; throws a Refusal for one that is too large, of which no more is read. */
export async function read(request: Request, most: number): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > most) throw tooLarge(most);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of request.body ?? []) {
    size += part.byteLength;
    if (size > most) throw tooLarge(most);
    parts.push(part);
  }
  return joined(parts, size);
}

function tooLarge(most: number): Refusal {
  return new Refusal(413, `A message has at most ${grouped(most)} bytes.`, "Ask for less at once.");
}

function joined(parts: Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}
