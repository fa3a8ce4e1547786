/**
 * What does a server answer to a message? Both eras of the protocol, by what each message carries.
 *
 * `tests/mcp_server/transcripts` has it by example, and runs against this and `serve/protocol.py`.
 */

import { cut } from "../letters.ts";
import {
  error,
  idOf,
  INTERNAL,
  INVALID,
  isId,
  isMessage,
  type Message,
  NAME_CHARS,
  NO_METHOD,
  PARAMS,
  Refused,
  type Server,
  UNSUPPORTED,
} from "./messages.ts";
import { METHODS } from "./methods.ts";
import { MODERN, VERSION, CAPABILITIES, BATCHED, MESSAGES, PREFIX } from "./revisions.ts";

/** One client's messages; only what it last agreed on by `initialize` is kept, for arrays. */
export class Conversation {
  constructor(
    private readonly server: Server,
    private agreed: string | null = null,
  ) {}

  /** The answer to a message; null where none is due. */
  async answer(message: unknown): Promise<unknown> {
    return Array.isArray(message) ? this.batch(message) : this.one(message);
  }

  private async batch(messages: unknown[]): Promise<unknown> {
    if (this.agreed !== BATCHED || !messages.length) {
      return error(new Refused(INVALID, "Send one message, not an array of them."));
    }
    if (messages.length > MESSAGES) {
      return error(new Refused(INVALID, `An array has at most ${MESSAGES} messages.`));
    }
    const answers: Message[] = [];
    for (const message of messages) {
      const answer = await this.one(message);
      if (answer) answers.push(answer);
    }
    return answers.length ? answers : null;
  }

  private async one(message: unknown): Promise<Message | null> {
    const id = idOf(message);
    try {
      if (!isMessage(message)) throw new Refused(INVALID, "A message is an object.");
      if (isResponse(message) || !isChecked(message)) return null;
      return { jsonrpc: "2.0", id, result: await this.result(message) };
    } catch (fault) {
      if (fault instanceof Refused) return error(fault, id);
      // a fault of ours costs one answer, not the server
      return error(new Refused(INTERNAL, `Internal error: ${told(fault)}`), id);
    }
  }

  private async result(message: Message): Promise<Message> {
    const method = message.method as string;
    const params = message.params || {};
    if (!isMessage(params)) throw new Refused(PARAMS, "`params` is an object.");
    if (isModern(params)) {
      const result = await found("modern", method)(this.server, params);
      const about = { name: this.server.name, version: this.server.version };
      return { resultType: "complete", ...result, _meta: { [`${PREFIX}serverInfo`]: about } };
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
    throw new Refused(INVALID, 'A message has "jsonrpc": "2.0" and a method.');
  }
  if (!("id" in message)) return false;
  if (!isId(message.id)) {
    throw new Refused(INVALID, "The id of a request is a string or a number.");
  }
  return true;
}

function isResponse(message: Message): boolean {
  return !("method" in message) && ("result" in message || "error" in message);
}

/** Whether the message says its revision; throws Refused where it is none that is known. */
function isModern(params: Message): boolean {
  const meta = params._meta;
  if (!isMessage(meta) || !(VERSION in meta)) return false;
  const requested = meta[VERSION];
  if (typeof requested !== "string") {
    throw new Refused(PARAMS, `\`_meta[${VERSION}]\` is a string.`);
  }
  if (!MODERN.includes(requested)) {
    const known = { supported: [...MODERN], requested };
    throw new Refused(UNSUPPORTED, "Unsupported protocol version", known);
  }
  if (!isMessage(meta[CAPABILITIES])) {
    throw new Refused(PARAMS, `\`_meta[${CAPABILITIES}]\` is missing, or no object.`);
  }
  return true;
}

function found(era: keyof typeof METHODS, name: string) {
  const method = METHODS[era].get(name);
  if (method) return method;
  if (name === "server/discover") {
    throw new Refused(PARAMS, `\`params._meta[${VERSION}]\` is missing.`);
  }
  throw new Refused(NO_METHOD, `Method not found: ${cut(name, NAME_CHARS)}`);
}
