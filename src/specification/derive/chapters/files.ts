import type { BucketEntry } from '../../../../contract/specification-files.ts';
import type { Reads } from '../../../access/fact-indexes.ts';
import { named } from '../../../access/fact-indexes.ts';
import type { BucketFact } from '../../../catalog/buckets.ts';
import type { RelationFact } from '../../../catalog/entities.ts';
import type { DecisionFacts } from '../../../catalog/facts.ts';
import { compareText } from '../../../catalog/names.ts';
import type { EntryLookup } from '../entries.ts';

/** The tables of the app's files. */
export interface FileTables {
  readonly objects: RelationFact;
  readonly buckets: RelationFact;
}

/**
 * Returns the tables of the app's files; null if the schema storage is not Ninefold's, as in a database that existed
 * before the app. Then `/storage/v1` has no bytes to serve.
 */
export function fileTables(look: Reads<'byName'>, { roles }: Pick<DecisionFacts, 'roles'>): FileTables | null {
  const owner = roles.find(({ name }) => name === 'pg_database_owner')?.oid;
  const [objects, buckets] = ['objects', 'buckets'].map((name) => named(look, 'storage', name));
  const isOwn = (table: RelationFact | undefined): table is RelationFact =>
    table?.kind === 'r' && table.owner === owner;
  return isOwn(objects) && isOwn(buckets) ? { objects, buckets } : null;
}

/** Returns the buckets of chapter 3, by id. */
export const bucketEntries = (_look: EntryLookup, buckets: readonly BucketFact[]): BucketEntry[] =>
  buckets
    .map(({ id, name, allowed_mime_types: types, ...rules }) => ({
      id,
      ...(name !== id && { name }),
      ...rules,
      // A bucket with an empty list takes every type, as one without a list.
      allowed_mime_types: types === null || types.length === 0 ? null : types,
    }))
    .sort((a, b) => compareText(a.id, b.id));
