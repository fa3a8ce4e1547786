// Keeps choices in this browser; where its storage is off they last until the page is closed.

const memory = {};

/** A kept value; null without one. `area` is `local`, or `session` for this tab alone. */
export function recall(name, area = 'local') {
  try {
    return globalThis[`${area}Storage`].getItem(name) ?? memory[name] ?? null;
  } catch {
    return memory[name] ?? null;
  }
}

export function keep(name, value, area = 'local') {
  memory[name] = value;
  try {
    globalThis[`${area}Storage`].setItem(name, value);
  } catch {
    // full or off: `memory` has it
  }
}
