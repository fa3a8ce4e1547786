/** Reads a request body up to a size limit. */

import { HttpError } from "./http_error.ts";
import { formatNumber } from "./escaping.ts";

/**
 * The whole body; throws an HttpError if it has more than `limit` bytes.
 *
 * Up to twice as much is read and discarded: a client that is still sending would otherwise see a closed
 * connection instead of the error response.
 */
export async function readBody(request: Request, limit: number): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > 2 * limit) throw bodyTooLarge(limit);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > 2 * limit) break;
    if (size <= limit) chunks.push(chunk);
  }
  if (size > limit) throw bodyTooLarge(limit);
  return concatenate(chunks, size);
}

function bodyTooLarge(limit: number): HttpError {
  return new HttpError(413, `A message may have at most ${formatNumber(limit)} bytes.`, "Send a smaller message.");
}

function concatenate(chunks: Uint8Array[], size: number): Uint8Array {
  const body = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.byteLength;
  }
  return body;
}
