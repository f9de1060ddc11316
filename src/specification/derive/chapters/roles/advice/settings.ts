import { settingEffects } from '../../../../../access/setting-effects.ts';
import { idOf, sqlName } from '../../../../../catalog/names.ts';
import { documentedRoutines } from '../../documented.ts';
import type { Advice, AdviceContext } from './advice-context.ts';

/** Advises on functions whose settings change their role, their row-level security or their ability to write. */
export function settingsOfFunctions({ facts, access }: AdviceContext): Advice[] {
  return documentedRoutines(facts).flatMap((routine) =>
    settingEffects(facts, access.privileges.membership, routine).map(
      ({ name, words, refusal }): Advice => ({
        about: 'setting that changes the rights',
        severity: refusal === undefined ? 'security' : 'unused',
        on: idOf(routine),
        detail: name,
        words:
          `The function sets ${name} while it runs: it ${words}. Without the setting it runs with the rights that chapter 6 gives.`.replace(
            'it every call',
            'every call',
          ),
        sql: `alter routine ${idOf(routine)} reset ${settingName(name)};`,
      }),
    ),
  );
}

const settingName = (name: string): string => name.split('.').map(sqlName).join('.');

/** Advises on settings of ALTER DATABASE and ALTER ROLE that disable triggers and foreign keys for calls. */
export function settingsOfDatabase({ facts }: AdviceContext): Advice[] {
  return facts.role_settings
    .filter(({ name, value }) => name === 'session_replication_role' && value !== 'origin')
    .map(({ role, database, name, value }): Advice => {
      const of = database ? `in database ${sqlName(facts.database.name)} ` : '';
      const whose =
        role === null && database
          ? `database ${sqlName(facts.database.name)} `
          : `role ${role === null ? 'all' : sqlName(role)} ${of}`;
      return {
        about: 'setting that changes the rights',
        severity: 'security',
        on: role === null ? 'the database' : 'a login role',
        detail: name,
        words: `${name} is ${value} for new connections: triggers that are not switched on for replicas do not run, foreign keys and state machines are not enforced. Only a superuser can run the SQL.`,
        sql: `alter ${whose}reset ${name};`,
      };
    });
}
