/** What does a server answer to a message of MCP that was posted? One JSON, and no session. */

import { Refusal } from "../refusal.ts";
import { BODY_BYTES, read } from "../body.ts";
import { error, idOf, isMessage, parsed, Refused, type Server } from "./messages.ts";
import { agreed, status } from "./mirrored.ts";
import { Conversation } from "./protocol.ts";

const JSON_TYPE = "application/json";
const TAKEN = [JSON_TYPE, "application/*", "*/*"];

/** Each request stands by itself; 202 without a body for what waits for no answer. */
export async function posted(request: Request, server: Server): Promise<Response> {
  // what is refused is read as well: a connection with half a message on it would be cut
  const body = await read(request, BODY_BYTES);
  checkHeaders(request.headers);
  let message: unknown = null;
  let revision: string;
  try {
    message = parsed(body);
    revision = agreed(message, request.headers);
  } catch (fault) {
    if (fault instanceof Refused) return sent(error(fault, idOf(message)), 400);
    throw fault;
  }
  const answer = await new Conversation(server, revision).answer(message);
  return sent(answer, status(message, answer));
}

/** Throws a Refusal where the headers make it none of ours, whatever its body is. */
function checkHeaders(headers: Headers): void {
  if (kind(headers.get("content-type") ?? "") !== JSON_TYPE) {
    throw new Refusal(415, "The message is not said to be JSON.", `Send Content-Type: ${JSON_TYPE}.`);
  }
  const kinds = (headers.get("accept") ?? "*/*").split(",").map(kind);
  if (!kinds.some((one) => TAKEN.includes(one))) {
    throw new Refusal(406, "The answer is JSON.", `Send Accept: ${JSON_TYPE}, text/event-stream.`);
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
