import { limits } from '../../../../contract/limits.ts';
import type { Facts } from '../../../catalog/facts.ts';
import { type CatalogJson, parseCatalog, readCatalogJson } from '../../../catalog/read-catalog.ts';
import type { SchemaCache } from '../../../catalog/schema-cache.ts';
import { type TypeNameFacts, typeNameQueries } from '../../../catalog/type-facts.ts';
import type { Executor } from '../../../database/database.ts';

/**
 * The facts from which types are generated: those of the specification, the relationships of the schema cache, and the
 * names of types.
 */
export interface TypeFacts extends TypeNameFacts {
  facts: Facts;
  catalog: Pick<SchemaCache, 'relationships'>;
}

/**
 * Reads the names of types. Any role that may connect can run the query.
 * @throws Errors of `readCatalog`.
 */
export async function loadTypeFacts(
  executor: Executor,
  facts: Facts,
  catalog: Pick<SchemaCache, 'relationships'>,
): Promise<TypeFacts> {
  return { ...parseCatalog(await readTypeNames(executor)), facts, catalog };
}

/**
 * Reads the names of types without parsing them.
 * @throws Errors of `readCatalogJson`.
 */
export const readTypeNames = (executor: Executor): Promise<CatalogJson<TypeNameFacts>> =>
  readCatalogJson<TypeNameFacts>(executor, typeNameQueries, limits.catalogLockMilliseconds.default);
