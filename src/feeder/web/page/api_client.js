// Sends requests to the JSON API and turns failures into ApiError.

export class ApiError extends Error {
  constructor(status, error, remedy) {
    super(error);
    this.status = status;
    this.remedy = remedy ?? '';
  }
}

const STOPPED = new ApiError(0, 'The server does not answer.', 'Start it again with feeder serve and open the address that it prints. If this is the page of a Worker, reload it.');

/** The answer of `/api/NAME`; a list becomes a repeated parameter. Throws ApiError. */
export async function request(name, parameters = {}, options = {}) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    for (const item of [value].flat()) if (item !== '' && item != null) query.append(key, item);
  }
  const response = await send(`api/${name}${query.size ? `?${query}` : ''}`, options);
  const content = await response.json().catch(() => ({ error: `The server answered with status ${response.status}.` }));
  if (!response.ok) throw new ApiError(response.status, content.error, content.remedy);
  return content;
}

async function send(address, options) {
  try {
    return await fetch(address, { credentials: 'same-origin', ...options });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw STOPPED;
  }
}

/** Exchanges the token for a cookie that scripts cannot read; returns false if the token is wrong. */
export async function signIn(token) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await send('api/session', { method: 'POST', headers });
  return response.ok;
}

/** Signs in with the token of the fragment, and removes it from the address and the history. */
export async function signInByAddress() {
  const match = /^#token=([^&]+)/.exec(location.hash);
  if (!match) return;
  history.replaceState(null, '', location.pathname + location.search);
  await signIn(decodeURIComponent(match[1]));
}
