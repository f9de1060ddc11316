import { allSettings } from '../../contract/all-settings.ts';
import { hasKind } from '../apps/settings.ts';

/**
 * Reads the value of a setting by its kind: a list, a text, or JSON. The value of a secret is a text.
 * @throws SyntaxError
 */
export function readValue(key: string, text: string): unknown {
  const setting = Object.hasOwn(allSettings, key) ? allSettings[key] : undefined;
  if (text === 'null' && (!setting || hasKind(setting, null))) return null;
  switch (setting?.kind) {
    case 'boolean':
    case 'number':
    case 'map':
      return parse(text);
    case 'list':
      if (text.trim().startsWith('[')) return parse(text);
      return text
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== '');
    default:
      return text;
  }
}

/** @throws SyntaxError */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SyntaxError(`“${text}” is not JSON.`);
  }
}
