import { limits } from '../../../contract/limits.ts';
import { type CatalogJson, parseCatalog, readCatalogJson } from '../../catalog/read-catalog.ts';
import type { SchemaCache } from '../../catalog/schema-cache.ts';
import { type TypeNameFacts, typeNameQueries } from '../../catalog/type-facts.ts';
import type { Executor } from '../../database/database.ts';
import type { Facts } from '../facts.ts';

/** What types are generated from: the facts of the specification, the schema cache for what joins what, and the names of types. */
export interface TypeFacts extends TypeNameFacts {
  facts: Facts;
  catalog: Pick<SchemaCache, 'relationships'>;
}

/** Any role that may connect can run it. Throws what `readCatalog` throws. */
export async function loadTypeFacts(
  executor: Executor,
  facts: Facts,
  catalog: Pick<SchemaCache, 'relationships'>,
): Promise<TypeFacts> {
  return { ...parseCatalog(await readTypeNames(executor)), facts, catalog };
}

/** The names of types, without parsing them. */
export const readTypeNames = (executor: Executor): Promise<CatalogJson<TypeNameFacts>> =>
  readCatalogJson<TypeNameFacts>(executor, typeNameQueries, limits.catalogLockMilliseconds.default);
