/** The Worker's HTTP app with those tools of the protocol's conformance suite that answer with a text. */

import { HttpError } from "../src/http_error.ts";
import { createApp } from "../src/app.ts";

const EMPTY_SCHEMA = { type: "object", properties: {}, additionalProperties: false };
// with the last two the suite checks that a server sends no requests of its own
const NAMES = ["test_simple_text", "test_error_handling", "test_logging_tool", "test_streaming_elicitation"];
const ANSWER_TEXT = "This is a simple text response for testing.";
const ERROR_TEXT = "This tool intentionally returns an error for testing";

const tools = {
  definitions: NAMES.map((name) => ({ name, description: `For the suite: ${name}.`, inputSchema: EMPTY_SCHEMA })),
  call: (name: string) => {
    const isError = name === "test_error_handling";
    return { text: isError ? ERROR_TEXT : ANSWER_TEXT, isError };
  },
};

async function answer(): Promise<object> {
  throw new HttpError(503, "There is no index here.");
}

export default createApp(answer, () => ({ name: "conformance", version: "1", instructions: "", tools }));
