/**
 * Cloudflare's REST API on loopback: `node tests/services/server.mjs [--port N] [--tied]`.
 *
 * Prints one line of JSON with its base URL, token and account, and serves until it is stopped;
 * with `--tied` also until its standard input closes, so that it never outlives who started it.
 */

import { createServer } from "node:http";
import { parseArgs } from "node:util";

import { control, isControl } from "./control.mjs";
import { atEdge, isEdge } from "./edge.mjs";
import { StandIn } from "./standin.mjs";
import { ACCOUNT, TOKEN } from "./tokens.mjs";

const { values: options } = parseArgs({
  options: { port: { type: "string", default: "0" }, tied: { type: "boolean", default: false } },
});
const starting = StandIn.start();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop);
if (options.tied) process.stdin.once("end", stop).resume();

const standin = await starting;
const server = createServer(serve);
// A connection that the client keeps must not be closed just when it asks again.
server.keepAliveTimeout = 0;
server.listen(Number(options.port), "127.0.0.1", announce);

function announce() {
  const base_url = `http://127.0.0.1:${server.address().port}/client/v4`;
  console.log(JSON.stringify({ base_url, token: TOKEN, account_id: ACCOUNT }));
}

async function serve(incoming, response) {
  try {
    const { method, url, headers } = incoming;
    const request = { method, url, headers, body: await read(incoming) };
    if (isControl(url)) return send(response, await control(standin, request));
    if (isEdge(url)) return send(response, await atEdge(standin.engine, request));
    const { reply, fault } = await standin.answer(request);
    if (fault) return play(fault.kind, response, reply);
    send(response, reply);
  } catch (error) {
    console.error(error);
    response.destroy();
  }
}

async function read(incoming) {
  const chunks = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function send(response, { status, headers, body }) {
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
}

/** Shows a fault on the wire; one that is an answer goes out like any other. */
function play(kind, response, reply) {
  if (kind === "hang") return;
  if (kind === "reset") response.socket.resetAndDestroy();
  else if (kind === "half_body") sendHalf(response, reply);
  else send(response, reply);
}

function sendHalf(response, { status, headers, body }) {
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...headers, "content-length": bytes.length });
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  response.write(half, () => response.socket.end());
}

async function stop() {
  const { engine } = await starting;
  await engine.stop();
  process.exit(0);
}
