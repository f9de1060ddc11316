import { type AuthSettings, defaultAuthSettings } from '../../../contract/settings-auth.ts';
import type { AdviceEntry } from '../../../contract/specification-roles.ts';
import { compareText } from '../names.ts';
import { policiesInCircles } from './circles.ts';
import { functionsAsSuperuser, functionsWithoutSearchPath } from './functions.ts';
import { idleGrants } from './grants.ts';
import type { Advice, Ground } from './ground.ts';
import { failingHooks } from './hooks.ts';
import { missingIndexes } from './indexes.ts';
import { jobsWithoutTarget } from './jobs.ts';
import { statusesWithoutMachine } from './machines.ts';
import { overlappingPolicies } from './overlap.ts';
import { callsForEachRow, unreachablePolicies } from './policies.ts';
import { settingsOfDatabase, settingsOfFunctions } from './settings.ts';
import { tablesWithoutPolicy, tablesWithoutRowSecurity } from './tables.ts';
import { viewsAsOwner } from './views.ts';

const weights = { fault: 0, risk: 1, slow: 2, idle: 3 } as const;

/** Everything that the catalogue shows to be better done otherwise, the riskiest first. Pure. */
export function adviceFor(ground: Ground, settings: AuthSettings = defaultAuthSettings): AdviceEntry[] {
  const found: Advice[] = [
    ...policiesInCircles(ground),
    ...tablesWithoutRowSecurity(ground),
    ...viewsAsOwner(ground),
    ...functionsAsSuperuser(ground),
    ...settingsOfFunctions(ground),
    ...settingsOfDatabase(ground),
    ...functionsWithoutSearchPath(ground),
    ...callsForEachRow(ground),
    ...missingIndexes(ground),
    ...overlappingPolicies(ground),
    ...tablesWithoutPolicy(ground),
    ...unreachablePolicies(ground),
    ...idleGrants(ground),
    ...statusesWithoutMachine(ground),
    ...jobsWithoutTarget(ground),
    ...failingHooks(ground, settings),
  ];
  return found
    .map(({ detail, about, weight, on, policies = [], words, sql }) => ({
      id: [about, on, ...(detail === undefined ? [] : [detail])].join(': '),
      about,
      weight,
      on,
      policies,
      words,
      sql,
    }))
    .sort((a, b) => weights[a.weight] - weights[b.weight] || compareText(a.on, b.on) || compareText(a.id, b.id));
}
