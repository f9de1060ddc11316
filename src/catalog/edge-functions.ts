import type { CatalogQueries } from './read-catalog.ts';

/** Edge functions of an app. */
export interface EdgeFunctionFacts {
  edge_functions: EdgeFunctionFact[];
}

/** An edge function that runs. */
export interface EdgeFunctionFact {
  name: string;
  /** True if callers need a key of the app or a token. */
  verifies_jwt: boolean;
  /** Number of the active version. */
  version: number;
  /** SHA-256 of the active version in hexadecimal digits. */
  sha256: string;
  /** Names of environment variables that the code reads. */
  reads: string[];
}

/** Query of EdgeFunctionFacts. */
export const edgeFunctionQueries: CatalogQueries<EdgeFunctionFacts> = {
  edge_functions: 'select ninefold.edge_functions()',
};
