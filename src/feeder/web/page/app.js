// The entry point of the page: shows the view of the address and listens to events.
import { followLinks, isCurrent, read } from './url_state.js';
import { signInByAddress } from './api_client.js';
import { byId, fill, focusNamed } from './dom.js';
import { hideCompletions, listenToCompletions } from './completions.js';
import { errorState } from './empty_states.js';
import { showFile } from './file.js';
import { followIndexing, indexName } from './index_state.js';
import { listenToShortcuts, openHelp } from './shortcuts.js';
import { showMap } from './map.js';
import { loadLinks } from './links.js';
import { showStatus } from './status.js';
import { clearTimer, endTyping, record, settle, showSearch, stop, typed } from './search.js';

const VIEWS = {
  search: showSearch,
  file: showFile,
  map: showMap,
  proof: showStatus,
};
const NO_INDEX_YET = 503;
const RETRY_MS = 1500;
let hasLinks = false;
let shownPlace;
let retry;

async function show({ detail } = {}) {
  clearTimeout(retry);
  const state = read();
  if (state.view !== 'search') {
    stop();
    record();
  }
  const canSearch = followIndexing();
  try {
    if (!hasLinks) {
      await canSearch;
      await loadLinks();
    }
    hasLinks = true;
    updateTitle(read());
    await VIEWS[state.view](state);
    if (isCurrent(state)) settleView(state, detail === 'back');
  } catch (error) {
    if (!isCurrent(state)) return;
    fill(byId('main'), errorState(error, state));
    updateTitle(state);
    if (error.status === NO_INDEX_YET) retry = setTimeout(show, RETRY_MS);
  }
}

/** A new view starts at its top; after going back, what led away has the focus again. */
function settleView(state, isBack) {
  const place = [state.view, state.file, state.below].join('\n');
  const isFree = [document.body, byId('main')].includes(document.activeElement);
  if (isBack && isFree && history.state?.focus) focusNamed(byId('main'), history.state.focus, {});
  else if (!isBack && place !== shownPlace && !state.lines) scrollTo(0, 0);
  shownPlace = place;
}

function updateTitle(state) {
  document.title = [state.file || state.q || { map: 'Map', proof: 'Status' }[state.view], indexName(), 'feeder'].filter(Boolean).join(' · ');
  for (const anchor of document.querySelectorAll('nav [data-view]')) {
    if (anchor.dataset.view === state.view) anchor.setAttribute('aria-current', 'page');
    else anchor.removeAttribute('aria-current');
  }
}

/** True while drawing the view again would be in the way: it has the focus, or there is a form. */
function isUsed() {
  return byId('main').contains(document.activeElement) && document.activeElement !== byId('main');
}

function listen() {
  addEventListener('moved', show);
  addEventListener('signedin', () => { if (byId('token')) show(); });
  // an address with a token that was pasted into an open tab
  addEventListener('hashchange', async () => { if (await signInByAddress()) show(); });
  addEventListener('indexed', async () => {
    await loadLinks().catch(() => null); // the commit, its web address and examples are known at the end
    if (!isUsed()) show();
  });
  // letters of an input method are no query before it has made characters of them
  byId('q').addEventListener('compositionstart', clearTimer);
  byId('q').addEventListener('compositionend', typed);
  byId('q').addEventListener('input', (event) => { if (!event.isComposing) typed(); });
  byId('q').addEventListener('blur', endTyping);
  byId('ask').addEventListener('submit', (event) => {
    event.preventDefault();
    hideCompletions();
    settle();
    endTyping();
    record();
  });
  byId('help-opens').addEventListener('click', openHelp);
  listenToCompletions(typed);
  followLinks();
  listenToShortcuts();
}

document.documentElement.classList.add('scripted');
byId('main').replaceChildren();
listen();
await signInByAddress();
// typed before the page listened
if (byId('q').value && byId('q').value !== read().q) typed();
show();
