const form = /^[a-z][a-z0-9-]{2,39}$/;

/** Returns why a ref is invalid; null for a valid ref. The server checks the ref too. Pure. */
export function refFault(ref: string): string | null {
  if (form.test(ref)) return null;
  if (ref.length < 3) return 'At least 3 characters.';
  if (ref.length > 40) return 'At most 40 characters.';
  if (!/^[a-z]/.test(ref)) return 'It starts with a lower-case letter.';
  return 'Only lower-case letters, digits and hyphens.';
}
