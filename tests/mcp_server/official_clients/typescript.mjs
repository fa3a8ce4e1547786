// What the official clients for TypeScript make of a server, of the second major version or the first.
//
//     typescript.mjs 2-auto|2-legacy|1 COMMAND…
//     typescript.mjs 2-auto|2-legacy|1 URL TOKEN      of one that is there

const [which, command, ...args] = process.argv.slice(2);
const isFirst = which === "1";
const { Client } = isFirst
  ? await import("@modelcontextprotocol/sdk/client/index.js")
  : await import("@modelcontextprotocol/client");
const { StdioClientTransport } = isFirst
  ? await import("@modelcontextprotocol/sdk/client/stdio.js")
  : await import("@modelcontextprotocol/client/stdio");
const { StreamableHTTPClientTransport } = isFirst
  ? await import("@modelcontextprotocol/sdk/client/streamableHttp.js")
  : await import("@modelcontextprotocol/client");

const mode = which.slice(2);
const options = isFirst ? {} : { versionNegotiation: { mode } };
const client = new Client({ name: "a test", version: "0" }, options);
const stderr = "inherit";
const transport = command.startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(command), {
      requestInit: { headers: { authorization: `Bearer ${args[0]}` } },
    })
  : new StdioClientTransport({ command, args, stderr, env: process.env });
let agreed; // the first one tells it to its transport alone
const told = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (version) => told?.((agreed = version)) ?? (agreed = version);
await client.connect(transport);

const { tools } = await client.listTools();
const search = (more) => client.callTool({ name: "search", arguments: more });
const found = await Promise.all([1, 2, 3, 4].map(() => search({ query: "exchange" })));
const wrong = await search({ query: "x", limit: 0 });
const refused = await client.callTool({ name: "nothing", arguments: {} }).then(
  () => null,
  (error) => error.code,
);
const facts = {
  version: isFirst ? agreed : client.getNegotiatedProtocolVersion(),
  server: client.getServerVersion().name,
  instructions: client.getInstructions().split("\n")[0],
  tools: tools.map((tool) => tool.name),
  reads_only: tools.every((tool) => tool.annotations.readOnlyHint),
  structured: found.map((one) => one.structuredContent ?? null),
  texts: found.map((one) => one.content[0].text),
  wrong: [wrong.isError, wrong.content[0].text],
  refused,
};
await client.close();
console.log(JSON.stringify(facts));
