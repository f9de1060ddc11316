const form = /^[a-z][a-z0-9-]{2,39}$/;

/** Returns a ref for an app of this name: "Café Zürich" → "cafe-zurich". Returns an empty text if the name has no Latin letter. */
export function refFor(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  return words === '' || words.length >= 3 ? words : `${words}-app`;
}

/** Returns why a ref is invalid; null for a valid ref. The server checks the ref too. Pure. */
export function refFault(ref: string): string | null {
  if (form.test(ref)) return null;
  if (ref.length < 3) return 'At least 3 characters.';
  if (ref.length > 40) return 'At most 40 characters.';
  if (!/^[a-z]/.test(ref)) return 'It starts with a lower-case letter.';
  return 'Only lower-case letters, digits and hyphens.';
}
