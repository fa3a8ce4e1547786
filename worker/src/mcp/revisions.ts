/** Which revisions of the protocol are spoken? Those that `serve/protocol.py` names. */

import shared from "../../build/shared.json";

const { modern, legacy, batched, messages, unsaid, prefix, ttl_ms } = shared.serve.revisions;

/** Revisions in which each message says its own. */
export const STATELESS_REVISIONS: readonly string[] = modern;
/** Revisions that are agreed on by `initialize`, the newest first. */
export const INITIALIZE_REVISIONS: readonly string[] = legacy;
/** The only revision that knows arrays of messages. */
export const BATCH_REVISION = batched;
/** Of an array at most. */
export const MAX_BATCH_MESSAGES = messages;
/** The revision of a message that says none: the header is younger than that. */
export const DEFAULT_REVISION = unsaid;
/** How long a client need not ask again for what changes with the program alone. */
export const TTL_MS = ttl_ms;
export const META_PREFIX = prefix;
export const VERSION_KEY = `${prefix}protocolVersion`;
export const CAPABILITIES_KEY = `${prefix}clientCapabilities`;
