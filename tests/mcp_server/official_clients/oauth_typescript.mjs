// The official TypeScript client signs in by OAuth: `oauth_typescript.mjs PACKAGE ADDRESS GITHUB`.
//
// PACKAGE is `sdk` or `client`. In place of a person with a browser, it allows the client on the Worker's page and signs
// in at the stand-in for GitHub. Prints as JSON what the client has got.

const [, , name, address, github] = process.argv;
const { Client, StreamableHTTPClientTransport } =
  name === "sdk"
    ? { ...(await import("@modelcontextprotocol/sdk/client/index.js")), ...(await import("@modelcontextprotocol/sdk/client/streamableHttp.js")) }
    : await import("@modelcontextprotocol/client");

const redirectUrl = "http://localhost:8765/callback";
let [code, iss, verifier, information, tokens, discovery] = [];
const provider = {
  redirectUrl,
  clientMetadata: {
    client_name: "Official client",
    redirect_uris: [redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  },
  state: () => "state-of-the-client",
  clientInformation: () => information,
  saveClientInformation: (saved) => void (information = saved),
  tokens: () => tokens,
  saveTokens: (saved) => void (tokens = saved),
  saveCodeVerifier: (saved) => void (verifier = saved),
  codeVerifier: () => verifier,
  discoveryState: () => discovery,
  saveDiscoveryState: (saved) => void (discovery = saved),
  async redirectToAuthorization(url) {
    const params = await signIn(url);
    if (params.get("state") !== "state-of-the-client") throw new Error(`the state is ${params.get("state")}`);
    [code, iss] = [params.get("code"), params.get("iss")];
  },
};

let transport = new StreamableHTTPClientTransport(new URL(address), { authProvider: provider });
let client = new Client({ name: "official", version: "1" });
const refusal = await client.connect(transport).then(() => "none", (error) => error.constructor.name);
if (name === "sdk") await transport.finishAuth(code);
else await transport.finishAuth(new URLSearchParams({ code, iss }));
transport = new StreamableHTTPClientTransport(new URL(address), { authProvider: provider });
client = new Client({ name: "official", version: "1" });
await client.connect(transport);
const { tools } = await client.listTools();
const answer = await client.callTool({ name: "search", arguments: { query: "exchange" } });
const first = tokens.access_token;
// all access tokens expire: the client gets another one by its refresh token
await expireTokens();
const again = await client.callTool({ name: "search", arguments: { query: "exchange" } });
await client.close();
const texts = [answer, again].map(({ content }) => content[0].text.split("\n")[0]);
console.log(JSON.stringify({ refusal, tools: tools.map((tool) => tool.name), texts, isRenewed: tokens.access_token !== first }));

/** Does what a person does in the browser; returns the query of the client's address. */
async function signIn(url) {
  const cookies = new Map();
  const open = async (place, init = {}) => {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const response = await fetch(place, { ...init, redirect: "manual", headers: { ...init.headers, cookie } });
    for (const line of response.headers.getSetCookie()) cookies.set(...line.split(";")[0].split(/=(.*)/s).slice(0, 2));
    return response;
  };
  const page = await (await open(url)).text();
  const handle = /name="handle" value="([^"]+)"/.exec(page)[1];
  const allowed = await open(url, { method: "POST", body: new URLSearchParams({ handle, decision: "allow" }) });
  const { pathname, search } = new URL(allowed.headers.get("location"));
  const signedIn = await fetch(github + pathname + search, { redirect: "manual" });
  const finished = await open(signedIn.headers.get("location"));
  return new URL(finished.headers.get("location")).searchParams;
}

/** Lets all access tokens expire; `fetch` cannot set the host. */
async function expireTokens() {
  const { request } = await import("node:http");
  const { hostname, port } = new URL(address);
  await new Promise((resolve, reject) => {
    const sent = request({ hostname, port, headers: { host: "expiry.example" } }, (response) => response.resume().on("end", resolve));
    sent.on("error", reject).end();
  });
}
