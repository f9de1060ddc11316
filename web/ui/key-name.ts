/** The parts of a keyboard event that identify the key. */
export interface Press {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/** Returns the name of a pressed key in a binding: "k", "?", "mod+enter"; null for a modifier alone. */
export function keyName({ key, ctrlKey, metaKey, altKey }: Press): string | null {
  if (['Control', 'Meta', 'Alt', 'Shift', 'Dead', 'Process'].includes(key)) return null;
  const name = key.length === 1 ? key.toLowerCase() : key === 'Escape' ? 'esc' : key.toLowerCase();
  return `${ctrlKey || metaKey ? 'mod+' : ''}${altKey ? 'alt+' : ''}${name}`;
}

/** Returns true for Ctrl Enter, or Cmd Enter on a Mac, which saves or sends a form. */
export const isSubmitKey = (event: Press): boolean => keyName(event) === 'mod+enter';
