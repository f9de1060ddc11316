/** A binding of a key to an action. */
export interface Binding {
  /** Keys that are pressed one after the other, separated by a space, for example "g d". "mod+k" is Ctrl and K, or Cmd and K on a Mac. */
  keys: string;
  /** Heading above the binding in the list of keys. */
  group: string;
  /** Description of the action for the list of keys. */
  does: string;
  run: () => void;
  /** True if the key also works while a field has the focus. By default, single keys do not. */
  inFields?: boolean;
}

/** The result of a key press: a binding to run, or the keys that may become a longer binding. */
export interface Outcome {
  binding: Binding | null;
  pending: string;
}

/**
 * Finds the binding for a key press. `pending` contains the keys that were pressed just before. A binding that was
 * added later has priority, so a page can replace a binding of the layout. `resting` excludes bindings that do not work
 * in fields.
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

/** Returns the key caps of a binding: "g d" → G, D; "mod+k" → "Ctrl K" or "⌘ K". */
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
