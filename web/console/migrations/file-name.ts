/** Returns the name of the file of a migration. Like the files of the Supabase CLI, it begins with the time. Pure. */
export function fileName(words: string, now: Date): string {
  const time = now.toISOString().replace(/\D/g, '').slice(0, 14);
  return `${time}_${words.toLowerCase().replace(/[^a-z0-9]+/g, '_')}.sql`;
}
