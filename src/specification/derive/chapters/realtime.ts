import type { Reads } from '../../../access/fact-indexes.ts';
import { named } from '../../../access/fact-indexes.ts';
import type { RelationFact } from '../../../catalog/entities.ts';
import type { Facts } from '../../../catalog/facts.ts';
import type { PublishedFact } from '../../../catalog/publications.ts';

/** A table whose changes realtime reports. */
export interface PublishedTable extends PublishedFact {
  readonly table: RelationFact;
}

/** Returns the tables of the publication supabase_realtime, by schema and name. */
export const publishedTables = (
  look: Reads<'relations'>,
  { published }: Pick<Facts, 'published'>,
): readonly PublishedTable[] =>
  published.flatMap((fact) => {
    const table = look.relations.get(fact.relation);
    return table ? [{ ...fact, table }] : [];
  });

/** Returns the table whose policies decide about private channels; undefined if the app has none. */
export const messagesTable = (look: Reads<'byName'>): RelationFact | undefined => named(look, 'realtime', 'messages');

/** Returns true if the app publishes a table, or has a policy for private channels. */
export function usesRealtime(look: Reads<'byName' | 'policies'>, { published }: Pick<Facts, 'published'>): boolean {
  const messages = messagesTable(look);
  return published.length > 0 || (messages !== undefined && (look.policies.get(messages.oid)?.length ?? 0) > 0);
}
