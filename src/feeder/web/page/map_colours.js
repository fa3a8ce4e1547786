// Colours of files on the map: by language, by last change, or by state with the skip reason.

const HUES = [212, 28, 150, 338, 262, 48, 184, 8, 96, 300];
const OTHER = 'other';
const DAY_S = 86_400;
const AGES = [[7, 'in the last 7 days'], [30, 'in the last 30 days'], [365, 'in the last year'], [Infinity, 'earlier']];
const USES = [[50, '50 files or more refer to it'], [10, '10 to 49'], [1, '1 to 9'], [0, 'none known']];
// they differ in lightness, and recent changes stand out from either background
const LIGHT_AGES = [['#08407e', '#fff'], ['#4a90d0'], ['#a9cdec'], ['#e4eaf0']];
const DARK_AGES = [['#cfe6fb', '#101418'], ['#6aa9e0', '#101418'], ['#2c608f'], ['#29323b']];

/** The title in the legend and the colours of each file, by `language`, `changed`, `references` or `state`. */
export function mapColours(files, by, isDark, history) {
  if (by === 'changed') return byChange(files, isDark, history);
  if (by === 'references') return byReferences(files, isDark);
  return by === 'language' ? byLanguage(files, isDark) : byState(files, isDark);
}

function byChange(files, isDark, { changed, since }) {
  const shades = isDark ? DARK_AGES : LIGHT_AGES;
  const now_s = Date.now() / 1000;
  const rest = since === null ? 'in no commit yet' : `${formatDay(since)} or earlier`;
  const entry = (file) => {
    const at_s = changed.get(file.path);
    if (at_s === undefined) return [rest, ...(since === null ? [isDark ? '#7a5a1e' : '#f0d9a8'] : shades.at(-1))];
    const i = AGES.findIndex(([days]) => now_s - at_s <= days * DAY_S);
    return [AGES[i][1], ...shades[i]];
  };
  return legend(entry, files, [...AGES.map(([, title]) => title), rest]);
}

function byReferences(files, isDark) {
  const shades = isDark ? DARK_AGES : LIGHT_AGES;
  return legend((file) => {
    const i = USES.findIndex(([min]) => (file.referring ?? 0) >= min);
    return [USES[i][1], ...shades[i]];
  }, files, USES.map(([, title]) => title));
}

export function formatDay(at_s) {
  return new Date(at_s * 1000).toLocaleDateString('en', { day: 'numeric', month: 'long', year: 'numeric' });
}

function byLanguage(files, isDark) {
  const lines = new Map();
  for (const file of files) if (file.language) lines.set(file.language, (lines.get(file.language) ?? 0) + (file.lines ?? 0));
  const most = [...lines].sort((a, b) => b[1] - a[1]).slice(0, HUES.length).map(([name]) => name);
  const colours = new Map(most.map((name, i) => [name, shade(HUES[i], 48, isDark)]));
  return legend((file) => {
    if (file.state === 'skipped') return ['not indexed', isDark ? '#3a3f46' : '#d4d7db'];
    return colours.has(file.language) ? [file.language, colours.get(file.language)] : [OTHER, isDark ? '#6d7681' : '#9aa3ad'];
  }, files);
}

function byState(files, isDark) {
  const reasons = [...new Set(files.filter((file) => file.state === 'skipped').map(skipReason))].sort();
  const reds = new Map(reasons.map((reason, i) => [reason, shade([2, 316, 24, 270, 340, 205][i % 6], 62, isDark)]));
  return legend((file) => {
    if (file.state === 'skipped') return [`not indexed: ${skipReason(file)}`, reds.get(skipReason(file))];
    if (file.state === 'pending') return ['waiting for vectors', shade(42, 80, isDark)];
    return ['indexed', isDark ? '#2b5a4a' : '#b5d9c8'];
  }, files);
}

export function skipReason(file) {
  return file.reason || 'unknown reason';
}

function shade(hue, saturation, isDark) {
  return `hsl(${hue} ${saturation}% ${isDark ? 42 : 66}%)`;
}

/** `entry` returns title, colour and, if it needs one, text colour of a file; `order` lists titles. */
function legend(entry, files, order = null) {
  const byTitle = new Map();
  for (const file of files) {
    const [title, colour] = entry(file);
    if (!byTitle.has(title)) byTitle.set(title, colour);
  }
  return { byTitle, order, name: (file) => entry(file)[0], colour: (file) => entry(file)[1], ink: (file) => entry(file)[2] };
}
