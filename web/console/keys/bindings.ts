/** One thing that a key does. */
export interface Binding {
  /** Keys pressed one after the other, by a space: "g d"; "mod+k" is Ctrl, or Cmd on a Mac. */
  keys: string;
  /** The heading that the list of keys puts it under. */
  group: string;
  /** What it does, for the list of keys. */
  does: string;
  run: () => void;
  /** Also while a field has the focus; else single keys rest there. */
  inFields?: boolean;
}

/** The parts of a keyboard event that say which key it is. */
export interface Press {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/** How a binding writes the key that was pressed: "k", "?", "mod+enter"; null for a modifier alone. */
export function keyName({ key, ctrlKey, metaKey, altKey }: Press): string | null {
  if (['Control', 'Meta', 'Alt', 'Shift', 'Dead', 'Process'].includes(key)) return null;
  const name = key.length === 1 ? key.toLowerCase() : key === 'Escape' ? 'esc' : key.toLowerCase();
  return `${ctrlKey || metaKey ? 'mod+' : ''}${altKey ? 'alt+' : ''}${name}`;
}

/** What a key press leads to: a binding to run, or the keys that a longer binding has begun with. */
export interface Outcome {
  binding: Binding | null;
  pending: string;
}

/**
 * Finds what a press does, given the keys pressed just before. Later bindings win, so that a page may take a key
 * over from the frame. `resting` leaves only those that work in fields.
 */
export function press(bindings: readonly Binding[], pending: string, key: string, resting: boolean): Outcome {
  const able = bindings.filter((binding) => !resting || binding.inFields);
  const tries = pending ? [`${pending} ${key}`, key] : [key];
  for (const keys of tries) {
    const binding = able.findLast((candidate) => candidate.keys === keys);
    if (binding) return { binding, pending: '' };
    if (able.some((candidate) => candidate.keys.startsWith(`${keys} `))) return { binding: null, pending: keys };
  }
  return { binding: null, pending: '' };
}

/** The caps of a binding: "g d" → G, D; "mod+k" → "Ctrl K" or "⌘ K". */
export function caps(keys: string, mac: boolean): string[] {
  const word = (part: string) =>
    part === 'mod'
      ? mac
        ? '⌘'
        : 'Ctrl'
      : part.length === 1
        ? part.toUpperCase()
        : part[0]?.toUpperCase() + part.slice(1);
  return keys.split(' ').map((step) =>
    step
      .split(/(?<=.)\+/)
      .map(word)
      .join(' '),
  );
}
