/** The fields of a keyboard event that identify the pressed key. */
export interface Press {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

/** Returns the name that bindings use for a pressed key, for example "k", "?" or "mod+enter". Null if only a modifier was pressed. */
export function keyName({ key, ctrlKey, metaKey, altKey }: Press): string | null {
  if (['Control', 'Meta', 'Alt', 'Shift', 'Dead', 'Process'].includes(key)) return null;
  const name = key.length === 1 ? key.toLowerCase() : key === 'Escape' ? 'esc' : key.toLowerCase();
  return `${ctrlKey || metaKey ? 'mod+' : ''}${altKey ? 'alt+' : ''}${name}`;
}

/** Returns true for Ctrl and Enter, or Cmd and Enter on a Mac. These keys save or send a form. */
export const isSubmitKey = (event: Press): boolean => keyName(event) === 'mod+enter';
