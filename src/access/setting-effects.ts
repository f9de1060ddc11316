import type { DecisionFacts } from '../catalog/facts.ts';
import { roleName } from '../catalog/names.ts';
import type { RoutineFact } from '../catalog/routines.ts';
import { type Refusal, refusal } from './decision.ts';
import type { Membership } from './membership.ts';

/** The effect of a function's setting on the privileges with which the function runs. */
export interface SettingEffect {
  /** The name of the setting. */
  name: string;
  words: string;
  /** The reason if PostgreSQL refuses each call because of the setting; absent if calls run. */
  refusal?: Refusal;
}

/** Returns the name, in lower case, and the value of each setting of a function. */
const settingsOf = ({ settings }: RoutineFact): [name: string, value: string][] =>
  settings.map((pair) => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at).toLowerCase(), pair.slice(at + 1)];
  });

const isRole = (name: string): boolean => name === 'role' || name === 'session_authorization';

/** Returns the role with whose privileges a function runs; null for the role of the caller. */
export function runsAs(facts: DecisionFacts, routine: RoutineFact): string | null {
  if (routine.security_definer) return roleName(facts, routine.owner);
  const named = settingsOf(routine).find(([name]) => name === 'role')?.[1];
  if (named === undefined) return null;
  return shownRole(facts, named === 'none' ? facts.authenticator : named);
}

/** Returns the name of a role as the specification shows it: a name that is the same in every app. */
function shownRole(facts: DecisionFacts, name: string): string {
  if (name === facts.authenticator) return 'authenticator';
  return roleName(facts, facts.roles.find((role) => role.name === name)?.oid ?? -1).replace(/^-1$/, name);
}

/**
 * Returns the effects of a function's settings on identity, row-level security and triggers (PostgreSQL, guc.c and
 * commands/variable.c). Omits `transaction_*`, which PostgreSQL refuses in functions, and `default_transaction_*`,
 * which do not affect the current transaction.
 */
export function settingEffects(facts: DecisionFacts, membership: Membership, routine: RoutineFact): SettingEffect[] {
  return settingsOf(routine).flatMap(([name, value]): SettingEffect[] => {
    const effect = isRole(name)
      ? roleEffect(facts, membership, routine, name, value)
      : otherEffect(membership, routine, name, value);
    return effect === null ? [] : [{ name, ...effect }];
  });
}

type Effect = Omit<SettingEffect, 'name'>;

function roleEffect(
  facts: DecisionFacts,
  membership: Membership,
  routine: RoutineFact,
  name: string,
  value: string,
): Effect {
  const shown = shownRole(facts, value === 'none' ? facts.authenticator : value);
  const refused = (why: string): Effect => ({
    words: `every call is refused (42501): ${why}`,
    refusal: refusal(why),
  });
  if (routine.security_definer) {
    return refused(`PostgreSQL does not set ${name} within a function that runs with the rights of its owner`);
  }
  const login = membership.named(facts.authenticator);
  const target = facts.roles.find((role) => role.name === value);
  if (name === 'session_authorization') {
    if (value === facts.authenticator || login?.superuser) return { words: `runs as ${shown}, whoever the caller is` };
    return refused('only a superuser may set session_authorization');
  }
  if (value !== 'none' && !login?.superuser) {
    if (target === undefined)
      return {
        words: `every call is refused (22023): there is no role ${value}`,
        refusal: refusal(`there is no role ${value}`, '22023'),
      };
    if (target.oid !== login?.oid && !membership.assumableBy(login?.oid ?? -1).has(target.oid)) {
      return refused(`no call may take on the role ${shown}`);
    }
  }
  const free = target?.superuser || target?.bypasses_row_security ? ', and row-level security does not bind it' : '';
  return { words: `runs as ${shown}, whoever the caller is${free}` };
}

const off = (value: string): boolean => /^(off|false|no|0|of|f|fa|fal|fals|n)$/i.test(value);

/** Returns true for claims and other settings by which policies identify the caller. */
const isIdentity = (name: string): boolean => /^(request|auth)\.(jwt|claim|headers|cookies|method|path)/.test(name);

function otherEffect(membership: Membership, routine: RoutineFact, name: string, value: string): Effect | null {
  if (isIdentity(name)) {
    return { words: `runs with its own ${name}: policies and functions take the caller for whom it names` };
  }
  switch (name) {
    case 'row_security':
      return off(value)
        ? { words: 'switches row_security off: a statement on a table whose policies bind the role is refused (42501)' }
        : null;
    case 'session_replication_role': {
      const isSuperuser = routine.security_definer && membership.role(routine.owner)?.superuser === true;
      if (isSuperuser) {
        return value === 'replica'
          ? { words: 'switches triggers and foreign keys off while it runs (session_replication_role)' }
          : null;
      }
      const why = 'only a superuser may set session_replication_role';
      return { words: `every call is refused (42501): ${why}`, refusal: refusal(why) };
    }
    default:
      return null;
  }
}
