/** Reads a request body up to a size limit. */

import { HttpError } from "./http_error.ts";
import { formatNumber } from "./escaping.ts";
import { constants } from "../build/worker_data.json";

export const MAX_BODY_BYTES = constants.protocol.MAX_BODY_BYTES;

/**
 * The whole body; throws an HttpError if it has more than `limit` bytes.
 *
 * Up to twice as much is read and discarded: a client that is still sending would otherwise see a closed
 * connection instead of the error response.
 */
export async function readBody(request: Request, most: number): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > 2 * most) throw tooLarge(most);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of request.body ?? []) {
    size += part.byteLength;
    if (size > 2 * most) break;
    if (size <= most) parts.push(part);
  }
  if (size > most) throw tooLarge(most);
  return joined(parts, size);
}

function tooLarge(most: number): HttpError {
  return new HttpError(413, `A message has at most ${formatNumber(most)} bytes.`, "Send a smaller message.");
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
