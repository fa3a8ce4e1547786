/**
 * What does a server answer to a message? Both eras of the protocol, by what each message carries.
 *
 * `tests/mcp_server/transcripts` has it by example, and runs against this and `serve/protocol.py`.
 */

import { truncate } from "../python_strings.ts";
import {
  errorMessage,
  messageId,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  isId,
  isMessage,
  type Message,
  MAX_NAME_CHARS,
  METHOD_NOT_FOUND,
  INVALID_PARAMS,
  ProtocolError,
  type Server,
  UNSUPPORTED_REVISION,
} from "./messages.ts";
import { METHODS } from "./methods.ts";
import { STATELESS_REVISIONS, VERSION_KEY, CAPABILITIES_KEY, BATCH_REVISION, MAX_BATCH_MESSAGES, META_PREFIX } from "./revisions.ts";

/** One client's messages; only what it last agreed on by `initialize` is kept, for arrays. */
export class ProtocolSession {
  constructor(
    private readonly server: Server,
    private agreed: string | null = null,
  ) {}

  /** The answer to a message; null where none is due. */
  async answer(message: unknown): Promise<unknown> {
    return Array.isArray(message) ? this.batch(message) : this.one(message);
  }

  private async batch(messages: unknown[]): Promise<unknown> {
    if (this.agreed !== BATCH_REVISION || !messages.length) {
      return errorMessage(new ProtocolError(INVALID_REQUEST, "Send one message, not an array of them."));
    }
    if (messages.length > MAX_BATCH_MESSAGES) {
      return errorMessage(new ProtocolError(INVALID_REQUEST, `An array has at most ${MAX_BATCH_MESSAGES} messages.`));
    }
    const answers: Message[] = [];
    for (const message of messages) {
      const answer = await this.one(message);
      if (answer) answers.push(answer);
    }
    return answers.length ? answers : null;
  }

  private async one(message: unknown): Promise<Message | null> {
    const id = messageId(message);
    try {
      if (!isMessage(message)) throw new ProtocolError(INVALID_REQUEST, "A message is an object.");
      if (isResponse(message) || !isChecked(message)) return null;
      return { jsonrpc: "2.0", id, result: await this.result(message) };
    } catch (fault) {
      if (fault instanceof ProtocolError) return errorMessage(fault, id);
      // a fault of ours costs one answer, not the server
      return errorMessage(new ProtocolError(INTERNAL_ERROR, `Internal error: ${told(fault)}`), id);
    }
  }

  private async result(message: Message): Promise<Message> {
    const method = message.method as string;
    const params = message.params || {};
    if (!isMessage(params)) throw new ProtocolError(INVALID_PARAMS, "`params` is an object.");
    if (isModern(params)) {
      const result = await found("modern", method)(this.server, params);
      const about = { name: this.server.name, version: this.server.version };
      return { resultType: "complete", ...result, _meta: { [`${META_PREFIX}serverInfo`]: about } };
    }
    const result = await found("legacy", method)(this.server, params);
    if (typeof result.protocolVersion === "string") this.agreed = result.protocolVersion;
    return result;
  }
}

function told(fault: unknown): string {
  return fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault);
}

/** Whether it is a request, else a notification; throws Refused for neither. */
function isChecked(message: Message): boolean {
  if (message.jsonrpc !== "2.0" || typeof message.method !== "string") {
    throw new ProtocolError(INVALID_REQUEST, 'A message has "jsonrpc": "2.0" and a method.');
  }
  if (!("id" in message)) return false;
  if (!isId(message.id)) {
    throw new ProtocolError(INVALID_REQUEST, "The id of a request is a string or a number.");
  }
  return true;
}

function isResponse(message: Message): boolean {
  return !("method" in message) && ("result" in message || "error" in message);
}

/** Whether the message says its revision; throws Refused where it is none that is known. */
function isModern(params: Message): boolean {
  const meta = params._meta;
  if (!isMessage(meta) || !(VERSION_KEY in meta)) return false;
  const requested = meta[VERSION_KEY];
  if (typeof requested !== "string") {
    throw new ProtocolError(INVALID_PARAMS, `\`_meta[${VERSION_KEY}]\` is a string.`);
  }
  if (!STATELESS_REVISIONS.includes(requested)) {
    const known = { supported: [...STATELESS_REVISIONS], requested };
    throw new ProtocolError(UNSUPPORTED_REVISION, "Unsupported protocol version", known);
  }
  if (!isMessage(meta[CAPABILITIES_KEY])) {
    throw new ProtocolError(INVALID_PARAMS, `\`_meta[${CAPABILITIES_KEY}]\` is missing, or no object.`);
  }
  return true;
}

function found(era: keyof typeof METHODS, name: string) {
  const method = METHODS[era].get(name);
  if (method) return method;
  if (name === "server/discover") {
    throw new ProtocolError(INVALID_PARAMS, `\`params._meta[${VERSION_KEY}]\` is missing.`);
  }
  throw new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${truncate(name, MAX_NAME_CHARS)}`);
}
