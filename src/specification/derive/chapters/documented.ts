import { platformSchemas } from '../../../../contract/entity-names.ts';
import { byRoutine } from '../../../access/exposed.ts';
import type { DecisionFacts } from '../../../catalog/facts.ts';
import type { RoutineFact } from '../../../catalog/routines.ts';

/** Returns true if the specification of the app describes the schema. The other schemas are the same in every app. */
export const isDocumented = (facts: Pick<DecisionFacts, 'exposedSchemas'>, schema: string): boolean =>
  facts.exposedSchemas.includes(schema) || !platformSchemas.has(schema);

/** Returns the functions of the app, ordered by schema, name and argument types. */
export const documentedRoutines = (facts: Pick<DecisionFacts, 'exposedSchemas' | 'routines'>): RoutineFact[] =>
  facts.routines.filter((routine) => isDocumented(facts, routine.schema)).sort(byRoutine);
