import type { SettingEntry } from '../../contract/admin.ts';

/**
 * Reads a value by the type of the setting's default: a list, a string, or JSON.
 * @throws SyntaxError
 */
export function readValue(entry: Pick<SettingEntry, 'default' | 'type'>, text: string): unknown {
  if (Array.isArray(entry.default)) {
    if (text.trim().startsWith('[')) return parse(text);
    return text
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '');
  }
  if (text === 'null' && entry.type.includes('null')) return null;
  if (typeof entry.default === 'string' || (entry.default === null && !entry.type.includes('number'))) return text;
  return parse(text);
}

/** @throws SyntaxError */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SyntaxError(`“${text}” is not JSON.`);
  }
}
