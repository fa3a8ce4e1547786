/** The shapes in which Cloudflare's REST API answers and refuses. */

/** A refusal with Cloudflare's code; whoever catches it turns it into the envelope. */
export class ApiError extends Error {
  constructor(status, code, message, { headers = {}, chain } = {}) {
    super(message);
    this.status = status;
    this.errors = [chain ? { code, message, error_chain: chain } : { code, message }];
    this.headers = headers;
  }
}

export function success(result, { status = 200, messages = [], ...rest } = {}) {
  return reply(status, { success: true, errors: [], messages, result, ...rest });
}

export function failure(status, errors, headers = {}) {
  return reply(status, { success: false, errors, messages: [], result: null }, headers);
}

export function html(status, title, headers = {}) {
  const body =
    `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n` +
    `<center><h1>${title}</h1></center>\r\n<hr><center>cloudflare</center>\r\n` +
    "</body>\r\n</html>\r\n";
  return { status, headers: { "content-type": "text/html; charset=UTF-8", ...headers }, body };
}

function reply(status, envelope, headers = {}) {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(envelope),
  };
}
