// How the server is asked, and what it means that it does not answer.

export class Refused extends Error {
  constructor(status, error, remedy) {
    super(error);
    this.status = status;
    this.remedy = remedy ?? '';
  }
}

const STOPPED = new Refused(0, 'The server does not answer.', 'Start it again with feeder serve, and open the address that it says. Of a Worker, load this page anew.');

/** What `/api/NAME` answers; lists are said as often as they are long. Throws Refused. */
export async function ask(name, said = {}, options = {}) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(said)) {
    for (const one of [value].flat()) if (one !== '' && one != null) query.append(key, one);
  }
  const response = await sent(`api/${name}${query.size ? `?${query}` : ''}`, options);
  const facts = await response.json().catch(() => ({ error: `The server answers ${response.status}.` }));
  if (!response.ok) throw new Refused(response.status, facts.error, facts.remedy);
  return facts;
}

async function sent(address, options) {
  try {
    return await fetch(address, { credentials: 'same-origin', ...options });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw STOPPED;
  }
}

/** Makes the token a cookie that no script reads; whether the server took it. */
export async function signIn(token) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await sent('api/session', { method: 'POST', headers });
  return response.ok;
}

/** The token of the fragment, which is taken out of the address and so out of the history. */
export async function signInByAddress() {
  const found = /^#token=([^&]+)/.exec(location.hash);
  if (!found) return;
  history.replaceState(null, '', location.pathname + location.search);
  await signIn(decodeURIComponent(found[1]));
}
