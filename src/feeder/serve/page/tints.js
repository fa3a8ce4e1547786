// What a file's colour on the map says: its language, or whether it is indexed, and why not.

const HUES = [212, 28, 150, 338, 262, 48, 184, 8, 96, 300];
const REST = 'other';

/** What each file is called in the legend, and its colour, by `language` or `state`. */
export function tints(files, by, isDark) {
  return by === 'language' ? byLanguage(files, isDark) : byState(files, isDark);
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

function legendary(said, files) {
  const colours = new Map();
  for (const file of files) if (!colours.has(said(file)[0])) colours.set(...said(file));
  return { colours, name: (file) => said(file)[0], colour: (file) => said(file)[1] };
}
