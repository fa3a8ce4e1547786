// What a file's colour on the map says: its language, when it was changed, or whether it is indexed, and why not.

const HUES = [212, 28, 150, 338, 262, 48, 184, 8, 96, 300];
const REST = 'other';
const DAY_S = 86_400;
const AGES = [[7, 'in the last 7 days'], [30, 'in the last 30 days'], [365, 'in the last year'], [Infinity, 'earlier']];
// lightness alone tells them apart, and what is new stands out from either background
const LIGHT_AGES = [['#08407e', '#fff'], ['#4a90d0'], ['#a9cdec'], ['#e4eaf0']];
const DARK_AGES = [['#cfe6fb', '#101418'], ['#6aa9e0', '#101418'], ['#2c608f'], ['#29323b']];

/** What each file is called in the legend, and its colours, by `language`, `changed` or `state`; `history` says when. */
export function tints(files, by, isDark, history) {
  if (by === 'changed') return byChange(files, isDark, history);
  return by === 'language' ? byLanguage(files, isDark) : byState(files, isDark);
}

function byChange(files, isDark, { changed, since }) {
  const shades = isDark ? DARK_AGES : LIGHT_AGES;
  const now_s = Date.now() / 1000;
  const rest = since === null ? 'in no commit yet' : `${dayOf(since)} or earlier`;
  const said = (file) => {
    const at_s = changed.get(file.path);
    if (at_s === undefined) return [rest, ...(since === null ? [isDark ? '#7a5a1e' : '#f0d9a8'] : shades.at(-1))];
    const at = AGES.findIndex(([days]) => now_s - at_s <= days * DAY_S);
    return [AGES[at][1], ...shades[at]];
  };
  return legendary(said, files, [...AGES.map(([, title]) => title), rest]);
}

/** The day, as one says it here. */
export function dayOf(at_s) {
  return new Date(at_s * 1000).toLocaleDateString('en', { day: 'numeric', month: 'long', year: 'numeric' });
}

function byLanguage(files, isDark) {
  const lines = new Map();
  for (const file of files) if (file.language) lines.set(file.language, (lines.get(file.language) ?? 0) + (file.lines ?? 0));
  const most = [...lines].sort((one, other) => other[1] - one[1]).slice(0, HUES.length).map(([name]) => name);
  const colours = new Map(most.map((name, at) => [name, shade(HUES[at], 48, isDark)]));
  return legendary((file) => {
    if (file.state === 'skipped') return ['not indexed', isDark ? '#3a3f46' : '#d4d7db'];
    return colours.has(file.language) ? [file.language, colours.get(file.language)] : [REST, isDark ? '#6d7681' : '#9aa3ad'];
  }, files);
}

function byState(files, isDark) {
  const reasons = [...new Set(files.filter((file) => file.state === 'skipped').map(whyNot))].sort();
  const reds = new Map(reasons.map((reason, at) => [reason, shade([2, 316, 24, 270, 340, 205][at % 6], 62, isDark)]));
  return legendary((file) => {
    if (file.state === 'skipped') return [`not indexed: ${whyNot(file)}`, reds.get(whyNot(file))];
    if (file.state === 'pending') return ['waits for vectors', shade(42, 80, isDark)];
    return ['indexed', isDark ? '#2b5a4a' : '#b5d9c8'];
  }, files);
}

export function whyNot(file) {
  return file.reason || 'no reason is known';
}

function shade(hue, saturation, isDark) {
  return `hsl(${hue} ${saturation}% ${isDark ? 42 : 66}%)`;
}

/** `said` gives the title, the colour and where it needs one the colour of writing on it; `order` has titles. */
function legendary(said, files, order = null) {
  const colours = new Map();
  for (const file of files) {
    const [title, colour] = said(file);
    if (!colours.has(title)) colours.set(title, colour);
  }
  return { colours, order, name: (file) => said(file)[0], colour: (file) => said(file)[1], ink: (file) => said(file)[2] };
}
