import { type AuthSettings, defaultAuthSettings } from '../../../../../../contract/settings-auth.ts';
import type { AdviceEntry } from '../../../../../../contract/specification-roles.ts';
import { compareText } from '../../../../../catalog/names.ts';
import type { Advice, AdviceContext } from './advice-context.ts';
import { policiesInCircles } from './circles.ts';
import { functionsAsSuperuser, functionsWithoutSearchPath } from './functions.ts';
import { idleGrants } from './grants.ts';
import { failingHooks } from './hooks.ts';
import { missingIndexes } from './indexes.ts';
import { jobsWithoutTarget } from './jobs.ts';
import { statusesWithoutMachine, transitionsWithoutTaker } from './machines.ts';
import { overlappingPolicies } from './overlap.ts';
import { callsForEachRow, unreachablePolicies } from './policies.ts';
import { updatesThatSelectRefuses } from './select-policies.ts';
import { settingsOfDatabase, settingsOfFunctions } from './settings.ts';
import { tablesWithoutPolicy, tablesWithoutRowSecurity } from './tables.ts';
import { viewsAsOwner } from './views.ts';

const severities = { fault: 0, security: 1, performance: 2, unused: 3 } as const;

/** Returns the advice that follows from the catalog, ordered by severity. Pure. */
export function adviceFor(context: AdviceContext, settings: AuthSettings = defaultAuthSettings): AdviceEntry[] {
  const found: Advice[] = [
    ...policiesInCircles(context),
    ...tablesWithoutRowSecurity(context),
    ...viewsAsOwner(context),
    ...functionsAsSuperuser(context),
    ...settingsOfFunctions(context),
    ...settingsOfDatabase(context),
    ...functionsWithoutSearchPath(context),
    ...callsForEachRow(context),
    ...missingIndexes(context),
    ...overlappingPolicies(context),
    ...tablesWithoutPolicy(context),
    ...unreachablePolicies(context),
    ...idleGrants(context),
    ...statusesWithoutMachine(context),
    ...transitionsWithoutTaker(context),
    ...updatesThatSelectRefuses(context),
    ...jobsWithoutTarget(context),
    ...failingHooks(context, settings),
  ];
  return found
    .map(({ detail, about, severity, on, policies = [], words, sql }) => ({
      id: [about, on, ...(detail === undefined ? [] : [detail])].join(': '),
      about,
      severity,
      on,
      policies,
      words,
      sql,
    }))
    .sort(
      (a, b) => severities[a.severity] - severities[b.severity] || compareText(a.on, b.on) || compareText(a.id, b.id),
    );
}
