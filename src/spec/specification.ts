import type { PurposeFigures } from '../../contract/description.ts';
import type { LimitName } from '../../contract/limits.ts';
import { defaultRestSettings, type RestSettings } from '../../contract/settings.ts';
import type { CallEntry, Chapters, Specification } from '../../contract/specification.ts';
import { callSettings } from './call-settings.ts';
import { type CallsApp, callsChapter } from './calls.ts';
import { entitiesChapter } from './entities.ts';
import { errorsChapter, type MetError } from './errors.ts';
import type { Facts } from './facts.ts';
import { functionEntries } from './functions.ts';
import { contentHash, lasting } from './lasting.ts';
import { type HitLimit, limitsChapter } from './limits.ts';
import { purposeChapter } from './purpose.ts';
import { rolesChapter } from './roles.ts';
import { rulesChapter } from './rules.ts';
import { screensChapter } from './screens.ts';
import { type StateFigures, statesChapter } from './states.ts';

/** What the specification says of an app that its database does not know. */
export interface SpecificationApp extends CallsApp {
  ref: string;
  name: string;
  /** Live figures of chapters 1 and 4; none when missing. */
  figures?: { purpose: Omit<PurposeFigures, 'entities'>; states: StateFigures };
  /** The defaults when missing. */
  restSettings?: RestSettings;
  /** The limits that the node's environment sets. */
  environment?: Partial<Record<LimitName, number>>;
  /** What was observed of late; no figures when missing. */
  observed?: Observed;
}

/** Live figures of an app. */
export interface Observed {
  /** By the id of the call. */
  calls: ReadonlyMap<string, NonNullable<CallEntry['figures']>>;
  errors: readonly MetError[];
  limits: readonly HitLimit[];
}

/** Derives the specification of an app. Pure: the same facts and settings give the same value, in the same order. */
export function deriveSpecification(facts: Facts, app: SpecificationApp): Specification {
  const entities = entitiesChapter(facts);
  const settings = { ...(app.restSettings ?? defaultRestSettings), ...app.authSettings };
  const roles = rolesChapter(facts);
  const calls = {
    ...callsChapter(facts, entities.entities, roles, app),
    functions: functionEntries(facts),
    settings: callSettings(facts, settings),
  };
  const rules = rulesChapter(facts);
  const states = statesChapter(facts, app.figures?.states);
  const errors = errorsChapter(facts, rules, states, { settings, met: app.observed?.errors ?? [] });
  const limits = limitsChapter(facts, {
    settings,
    environment: app.environment ?? {},
    hit: app.observed?.limits ?? [],
  });
  const chapters: Chapters = {
    purpose: purposeChapter(facts, entities.entities, app.name, app.figures?.purpose),
    screens: screensChapter(facts, entities.entities, states.machines, roles),
    entities,
    states,
    rules,
    roles,
    calls,
    errors,
    limits,
  };
  return { app: { ref: app.ref, name: app.name }, hash: contentHash(lasting(chapters)), chapters };
}
