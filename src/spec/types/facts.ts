import { limits } from '../../../contract/limits.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { type CatalogueJson, parseCatalogue, readCatalogueJson } from '../../catalog/read-catalogue.ts';
import { type TypeNameFacts, typeNameQueries } from '../../catalog/type-facts.ts';
import type { Executor } from '../../database/database.ts';
import type { Facts } from '../facts.ts';

/** What types are generated from: the facts of the specification, the schema cache for what joins what, and the names of types. */
export interface TypeFacts extends TypeNameFacts {
  facts: Facts;
  catalog: Pick<Catalog, 'relationships'>;
}

/** Any role that may connect can run it. Throws what `readCatalogue` throws. */
export async function loadTypeFacts(
  executor: Executor,
  facts: Facts,
  catalog: Pick<Catalog, 'relationships'>,
): Promise<TypeFacts> {
  return { ...parseCatalogue(await readTypeNames(executor)), facts, catalog };
}

/** The names of types, without parsing them. */
export const readTypeNames = (executor: Executor): Promise<CatalogueJson<TypeNameFacts>> =>
  readCatalogueJson<TypeNameFacts>(executor, typeNameQueries, limits.catalogueLockMilliseconds.default);
