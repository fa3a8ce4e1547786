// The page of a search index: which view the address means, and who listens.
import { followLinks, isNow, read } from './url_state.js';
import { signInByAddress } from './api_client.js';
import { byId, fill } from './dom.js';
import { trouble } from './empty_states.js';
import { showFile } from './file.js';
import { openHelp } from './help.js';
import { listenToKeys } from './shortcuts.js';
import { showMap } from './map.js';
import { learnPlaces } from './links.js';
import { showProof } from './status.js';
import { endTyping, settle, showSearch, stop, typed } from './search.js';

const VIEWS = {
  search: showSearch,
  file: showFile,
  map: showMap,
  proof: showProof,
};
const BEING_MADE = 503;
const AGAIN_MS = 1500;
let isKnown = false;
let later;

async function show() {
  clearTimeout(later);
  const state = read();
  nameView(state);
  if (state.view !== 'search') stop();
  try {
    if (!isKnown) await learnPlaces();
    isKnown = true;
    await VIEWS[state.view](state);
  } catch (error) {
    if (!isNow(state)) return;
    fill(byId('main'), trouble(error));
    if (error.status === BEING_MADE) later = setTimeout(show, AGAIN_MS);
  }
}

function nameView(state) {
  document.title = [state.file || state.q || { map: 'Map', proof: 'Proof' }[state.view], 'feeder'].filter(Boolean).join(' · ');
  for (const anchor of document.querySelectorAll('nav [data-view]')) {
    if (anchor.dataset.view === state.view) anchor.setAttribute('aria-current', 'page');
    else anchor.removeAttribute('aria-current');
  }
}

function listen() {
  addEventListener('moved', show);
  byId('q').addEventListener('input', typed);
  byId('q').addEventListener('blur', endTyping);
  byId('ask').addEventListener('submit', (event) => {
    event.preventDefault();
    settle();
    endTyping();
  });
  byId('help-opens').addEventListener('click', openHelp);
  followLinks();
  listenToKeys();
}

document.documentElement.classList.add('scripted');
byId('main').replaceChildren();
listen();
await signInByAddress().catch(() => null);
// what was typed before this listened
if (byId('q').value && byId('q').value !== read().q) typed();
show();
