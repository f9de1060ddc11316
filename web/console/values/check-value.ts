import type { FieldKind } from './field-kind.ts';

/**
 * Returns why a text is invalid before it is sent; null if PostgreSQL decides. Only JSON is checked here, because JSON
 * is sent as it is typed and would make the body of the request invalid.
 */
export function checkValue(text: string, kind: FieldKind): string | null {
  if (kind !== 'json') return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return text.trim() === ''
      ? 'Empty is not JSON.'
      : `Not JSON yet: ${error instanceof Error ? error.message : error}`;
  }
  return value === null ? 'A JSON null would arrive as null. Use the button null.' : null;
}
