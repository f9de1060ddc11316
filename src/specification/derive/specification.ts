import type { LimitName } from '../../../contract/limits.ts';
import type { RightName } from '../../../contract/server-rights.ts';
import { defaultRestSettings, type RestSettings } from '../../../contract/settings.ts';
import type { AuthSettings } from '../../../contract/settings-auth.ts';
import { defaultRealtimeSettings, type RealtimeSettings } from '../../../contract/settings-realtime.ts';
import { defaultStorageSettings, type StorageSettings } from '../../../contract/settings-storage.ts';
import type { Chapters, Specification } from '../../../contract/specification.ts';
import type { Facts } from '../../catalog/facts.ts';
import { callsChapter } from './chapters/calls/calls.ts';
import { entitiesChapter } from './chapters/entities/entities.ts';
import { errorsChapter } from './chapters/errors/errors.ts';
import { limitsChapter } from './chapters/limits/limits.ts';
import { purposeChapter } from './chapters/purpose/purpose.ts';
import { rolesChapter } from './chapters/roles/roles.ts';
import { rulesChapter } from './chapters/rules/rules.ts';
import { screensChapter } from './chapters/screens/screens.ts';
import { accountStates } from './chapters/states/account-states.ts';
import { statesChapter } from './chapters/states/states.ts';
import { contentHash } from './content-hash.ts';
import { Entries, type EntryLookup } from './entries.ts';

/** The data of an app that its own database does not contain. */
export interface SpecificationApp {
  ref: string;
  name: string;
  authSettings: AuthSettings;
  /** The settings of the app. A missing setting has its default. */
  restSettings?: RestSettings;
  /** Absent for a version that was stored before the app had files; then the settings have their defaults. */
  storageSettings?: StorageSettings;
  /** Absent for a version that was stored before the app had realtime; then the settings have their defaults. */
  realtimeSettings?: RealtimeSettings;
  /** The limits that the node's environment sets. */
  environment?: Partial<Record<LimitName, number>>;
  /** The rights of a superuser that the node's login lacks on the server of the app. */
  missingRights?: readonly RightName[];
}

/**
 * Derives the specification of an app, without live figures. Pure: the same facts and settings give the same value, in
 * the same order.
 */
export const deriveSpecification = (facts: Facts, app: SpecificationApp): Specification =>
  deriveChanged(facts, app, null).specification;

/** A specification with the entries that it consists of. */
export interface Derivation {
  specification: Specification;
  entries: Entries;
}

/**
 * Derives the specification as `deriveSpecification` does. Takes the entries whose facts and settings did not change
 * from an earlier derivation.
 */
export function deriveChanged(facts: Facts, app: SpecificationApp, earlier: Entries | null): Derivation {
  const entries = new Entries(facts, earlier);
  const settings = entries.of(allSettings, '', app.restSettings ?? defaultRestSettings, app.authSettings);
  const entities = entitiesChapter(entries);
  const machines = statesChapter(entries);
  const { buckets } = entities;
  const rules = rulesChapter(entries, buckets);
  const roles = rolesChapter(entries, settings, buckets);
  const calls = callsChapter(entries, entities.entities, roles, settings);
  const states = { ...machines, accounts: accountStates(settings, new Set(calls.calls.map(({ id }) => id))) };
  const chapters: Chapters = {
    purpose: purposeChapter(facts, app.name),
    screens: screensChapter(entries, entities.entities, states.machines, roles),
    entities,
    states,
    rules,
    roles,
    calls,
    errors: errorsChapter(entries, rules, states, roles, settings, [
      ...(buckets === undefined ? (['storage'] as const) : []),
      ...(roles.changes === undefined ? (['realtime'] as const) : []),
      ...((facts.edge_functions ?? []).length === 0 ? (['functions'] as const) : []),
    ]),
    limits: limitsChapter(facts, {
      settings: {
        ...settings,
        ...(app.storageSettings ?? defaultStorageSettings),
        ...(app.realtimeSettings ?? defaultRealtimeSettings),
      },
      environment: app.environment ?? {},
      missingRights: app.missingRights ?? [],
    }),
  };
  entries.release();
  // Without figures, `stableContent` would return the chapters unchanged, so they are hashed directly.
  const hash = contentHash(entries.writer.json(chapters));
  return { specification: { app: { ref: app.ref, name: app.name }, hash, chapters }, entries };
}

const allSettings = (_: EntryLookup, rest: RestSettings, auth: AuthSettings) => ({ ...rest, ...auth });
