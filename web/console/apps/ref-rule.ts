const form = /^[a-z][a-z0-9-]{2,39}$/;

/** What is wrong with a ref, in words; null when nothing is. The server decides in the end. Pure. */
export function refFault(ref: string): string | null {
  if (form.test(ref)) return null;
  if (ref.length < 3) return 'At least 3 characters.';
  if (ref.length > 40) return 'At most 40 characters.';
  if (!/^[a-z]/.test(ref)) return 'It starts with a lower-case letter.';
  return 'Only lower-case letters, digits and hyphens.';
}
