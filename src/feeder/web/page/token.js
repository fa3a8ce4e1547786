// Takes the token out of the address before the modules load; api_client.js signs in with it.
addEventListener('hashchange', takeToken);
takeToken();

function takeToken() {
  const match = /^#token=([^&]+)/.exec(location.hash);
  if (!match) return;
  globalThis.takenToken = match[1];
  history.replaceState(null, '', location.pathname + location.search);
}
