/** What does a server answer to a message of MCP that was posted? One JSON, and no session. */

import { HttpError } from "../http_error.ts";
import { MAX_BODY_BYTES, readBody } from "../request_body.ts";
import { errorMessage, messageId, isMessage, parseMessage, ProtocolError, type Server } from "./messages.ts";
import { negotiateRevision, httpStatus } from "./http.ts";
import { ProtocolSession } from "./protocol.ts";

const JSON_TYPE = "application/json";
const TAKEN = [JSON_TYPE, "application/*", "*/*"];

/** Each request stands by itself; 202 without a body for what waits for no answer. */
export async function handlePost(request: Request, server: Server): Promise<Response> {
  // what is refused is read as well: a connection with half a message on it would be cut
  const body = await readBody(request, MAX_BODY_BYTES);
  checkHeaders(request.headers);
  let message: unknown = null;
  let revision: string;
  try {
    message = parseMessage(body);
    revision = negotiateRevision(message, request.headers);
  } catch (fault) {
    if (fault instanceof ProtocolError) return sent(errorMessage(fault, messageId(message)), 400);
    throw fault;
  }
  const answer = await new ProtocolSession(server, revision).answer(message);
  return sent(answer, httpStatus(message, answer));
}

/** Throws a Refusal where the headers make it none of ours, whatever its body is. */
function checkHeaders(headers: Headers): void {
  if (kind(headers.get("content-type") ?? "") !== JSON_TYPE) {
    throw new HttpError(415, "The message is not said to be JSON.", `Send Content-Type: ${JSON_TYPE}.`);
  }
  const kinds = (headers.get("accept") ?? "*/*").split(",").map(kind);
  if (!kinds.some((one) => TAKEN.includes(one))) {
    throw new HttpError(406, "The answer is JSON.", `Send Accept: ${JSON_TYPE}, text/event-stream.`);
  }
}

function kind(value: string): string {
  return (value.split(";")[0] ?? "").trim().toLowerCase();
}

function sent(answer: unknown, code: number): Response {
  if (answer === null) return new Response(null, { status: 202 });
  const isError = isMessage(answer) && "error" in answer;
  return Response.json(answer, { status: isError ? code : 200 });
}
