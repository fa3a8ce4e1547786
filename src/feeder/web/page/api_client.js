// Sends requests to the JSON API and turns failures into ApiError. Each has the key of the session in a header,
// never in a cookie, which servers on other ports of this machine would get too. A Worker has a cookie instead.
import { keep, recall } from './storage.js';

const ASK = '?';
const TABS_MS = 150;
const UNAUTHORIZED = 401;
let key = recall('key', 'session') ?? '';
let asking;
// tabs of the same origin, which includes the port
const tabs = new BroadcastChannel('feeder');
tabs.onmessage = ({ data }) => {
  if (data !== ASK) {
    if (!key) useKey(data);
  } else if (key) tabs.postMessage(key);
};

function useKey(value) {
  key = value;
  keep('key', value, 'session');
  if (key) dispatchEvent(new Event('signedin'));
}

/** Asks the other tabs for a key; resolves to false if none has one. */
function askTabs() {
  asking ??= new Promise((resolve) => {
    addEventListener('signedin', () => resolve(true), { once: true });
    setTimeout(() => resolve(false), TABS_MS);
    tabs.postMessage(ASK);
  }).finally(() => { asking = undefined; });
  return asking;
}

export function sessionKey() {
  return key;
}

export class ApiError extends Error {
  constructor(status, error, { remedy = '', unknown = '', nearest = [] } = {}) {
    super(error);
    Object.assign(this, { status, remedy, unknown, nearest });
  }
}

const STOPPED = new ApiError(0, 'The server does not answer.', { remedy: 'Start it again with feeder serve and open the address that it prints. If this is the page of a Worker, reload it.' });

/** The answer of `/api/NAME`; a list becomes a repeated parameter. Throws ApiError. */
export async function request(name, parameters = {}, options = {}) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    for (const item of [value].flat()) if (item !== '' && item != null) query.append(key, item);
  }
  const response = await send(`api/${name}${query.size ? `?${query}` : ''}`, options);
  const content = await response.json().catch(() => ({ error: `The server answered with status ${response.status}.` }));
  if (!response.ok) throw new ApiError(response.status, content.error, content);
  return content.index?.several ? withRepositories(content) : content;
}

/** An answer with the repository before each path, as a target has it. */
function withRepositories(answer) {
  const named = (node) => ({ ...node, path: `${node.repo ?? answer.index.repo}:${node.path}` });
  for (const name of ['hits', 'files']) if (answer[name]) answer[name] = answer[name].map(named);
  return answer;
}

async function send(address, options, isRetry = false) {
  const used = key;
  try {
    const headers = used ? { authorization: `Bearer ${used}` } : {};
    const response = await fetch(address, { credentials: 'same-origin', ...options, headers: { ...headers, ...options.headers } });
    if (response.status !== UNAUTHORIZED || isRetry || options.headers) return response;
    if (used === key) useKey('');
    return key || await askTabs() ? await send(address, options, true) : response;
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw STOPPED;
  }
}

/** Exchanges the token for a session; returns false if the token is wrong. */
export async function signIn(token) {
  const response = await send('api/session', { method: 'POST', headers: { authorization: `Bearer ${token}` } });
  const answer = response.ok && await response.json().catch(() => null);
  if (answer?.key) {
    useKey(answer.key);
    tabs.postMessage(key);
  }
  return response.ok;
}

/** Signs in with the token that the address had; returns false without one. */
export async function signInByAddress() {
  const token = globalThis.takenToken;
  globalThis.takenToken = undefined;
  if (!token) return false;
  await signIn(decodeURIComponent(token)).catch(() => null);
  return true;
}
