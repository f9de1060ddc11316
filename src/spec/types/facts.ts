import { limits } from '../../../contract/limits.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { readCatalogue } from '../../catalog/read-catalogue.ts';
import type { TypeNameFacts } from '../../catalog/type-facts.ts';
import { typeNameQueries } from '../../catalog/type-facts.ts';
import type { Executor } from '../../database/database.ts';
import type { Facts } from '../facts.ts';

/** What types are generated from: the facts of the specification, the schema cache for what joins what, and the names of types. */
export interface TypeFacts extends TypeNameFacts {
  facts: Facts;
  catalog: Catalog;
}

/** Any role that may connect can run it. Throws what `readCatalogue` throws. */
export async function loadTypeFacts(executor: Executor, facts: Facts, catalog: Catalog): Promise<TypeFacts> {
  const read = await readCatalogue<TypeNameFacts>(executor, typeNameQueries, limits.catalogueLockMilliseconds.default);
  return { ...read, facts, catalog };
}
