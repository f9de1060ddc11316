/** The metadata that a text contains: a JSON object, or the reason why the text is invalid. */
export type Metadata = { readonly value: Readonly<Record<string, unknown>> } | { readonly fault: string };

/**
 * Parses the typed metadata.
 * @param max Maximum size in bytes.
 */
export function readMetadata(text: string, max: number): Metadata {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { fault: `This is not JSON: ${error instanceof Error ? error.message : String(error)}.` };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { fault: 'Metadata is an object: { "name": "Ada" }.' };
  }
  const size = new TextEncoder().encode(JSON.stringify(value)).length;
  if (size > max)
    return { fault: `This is ${size} bytes. The maximum is ${max}, because every access token contains the metadata.` };
  return { value: value as Record<string, unknown> };
}

/**
 * Returns the body of the request that changes the metadata `before` to `after`. The server overwrites the given keys
 * and removes keys that are null (GoTrue, PUT /admin/users/:id).
 */
export function metadataChange(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return Object.fromEntries([...gone.map((key) => [key, null] as const), ...Object.entries(after)]);
}
