import type { FieldKind } from './field-kind.ts';

/**
 * What is wrong with a text before it is sent, in words; null where PostgreSQL decides. Only JSON is read here, since
 * it is sent as JSON and not as text.
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
