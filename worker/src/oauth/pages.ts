/** The pages of the sign-in: what is asked before GitHub's page, and errors. They need no script. */

import type { ConsentDescription } from "@cloudflare/workers-oauth-provider";

const STYLE = `
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 36rem; margin: 4rem auto; padding: 0 1rem; color-scheme: light dark; }
button { font: inherit; padding: .4rem 1.2rem; margin-right: .5rem; }
strong { overflow-wrap: anywhere; }
`;

/** The page that asks whether a client may search; all texts of the client are escaped. */
export function consentPage(client: ConsentDescription, handle: string, origin: string, headers: Headers): Response {
  const name = escapeHtml(client.clientName.slice(0, 100));
  const publisher = client.clientDomain
    ? `It is published by <strong>${escapeHtml(client.clientDomain)}</strong>.`
    : "It chose its name itself; nobody has verified it.";
  const warning = client.redirectIsLoopback
    ? "<p><strong>Access goes to a program on your computer.</strong> Allow it only if you have just started to connect one.</p>"
    : "";
  const body = `
<h1>Let ${name} search this code?</h1>
<p>${publisher} It will be able to read all code on <strong>${escapeHtml(new URL(origin).host)}</strong> that you
may read. Access will be sent to <strong>${escapeHtml(client.redirectHost)}</strong>.</p>
${warning}
<form method="post">
<input type="hidden" name="handle" value="${escapeHtml(handle)}">
<p><button name="decision" value="allow">Sign in with GitHub</button><button name="decision" value="deny">Cancel</button></p>
</form>`;
  return page(200, `Let ${name} search?`, body, headers);
}

/** The page of an error that must not be sent to a client. */
export function errorPage(status: number, error: string, remedy: string): Response {
  const body = `\n<h1>${escapeHtml(error)}</h1>\n<p>${escapeHtml(remedy)}</p>`;
  return page(status, "Not signed in", body, new Headers());
}

function page(status: number, title: string, body: string, headers: Headers): Response {
  const nonce = crypto.randomUUID();
  // no `form-action`: browsers would apply it to the redirects to GitHub and to the client as well
  headers.set("content-security-policy", `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; frame-ancestors 'none'`);
  headers.set("x-frame-options", "DENY");
  headers.set("content-type", "text/html; charset=utf-8");
  for (const [name, value] of Object.entries(COMMON_HEADERS)) headers.set(name, value);
  const text = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style nonce="${nonce}">${STYLE}</style>
<main>
${body.trim()}
</main>
</html>
`;
  return new Response(text, { status, headers });
}

/** Headers of every page and redirect of the sign-in. */
export const COMMON_HEADERS = { "cache-control": "no-store", "referrer-policy": "no-referrer", "x-content-type-options": "nosniff" };

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
