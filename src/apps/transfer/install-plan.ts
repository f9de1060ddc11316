import type { DumpEntry } from './dump-entries.ts';
import { OWN_SCHEMAS } from './read-source.ts';

/** The login that runs an entry: the superuser, or a role with the privileges of the app's roles and no others. */
export type Login = 'superuser' | 'app';

/** One entry of a dump and the login that runs it. */
export interface PlannedEntry {
  readonly entry: DumpEntry;
  readonly login: Login;
}

/** The steps of an installation, in order. */
export interface InstallPlan {
  readonly schemas: readonly PlannedEntry[];
  /** Privileges on schemas. Functions in indexes run as the owner of the table, who may need them. */
  readonly schemaPrivileges: readonly PlannedEntry[];
  readonly extensions: readonly PlannedEntry[];
  /** Tables, types, functions and views. */
  readonly beforeRows: readonly PlannedEntry[];
  /** Links between sequences and columns. Both must already belong to the same role. */
  readonly sequenceLinks: readonly PlannedEntry[];
  /** Indexes, constraints, triggers and policies. */
  readonly afterRows: readonly PlannedEntry[];
  readonly privileges: readonly PlannedEntry[];
  readonly eventTriggers: readonly PlannedEntry[];
}

/** The kinds of objects that pg_dump writes behind the rows. */
const AFTER_ROWS: ReadonlySet<string> = new Set([
  ...['CONSTRAINT', 'CHECK CONSTRAINT', 'FK CONSTRAINT', 'INDEX', 'INDEX ATTACH', 'STATISTICS', 'RULE', 'TRIGGER'],
  ...['POLICY', 'ROW SECURITY', 'PUBLICATION', 'PUBLICATION TABLE', 'PUBLICATION TABLES IN SCHEMA'],
]);

/** A role whose objects the app's owner cannot change, besides superusers. */
const SERVER_ROLE = 'ninefold_server';

/** The steps whose statements evaluate nothing of an app, and which only a superuser may run in all cases. */
const OF_SUPERUSER: ReadonlySet<keyof InstallPlan> = new Set([
  ...(['extensions', 'schemaPrivileges', 'privileges', 'eventTriggers'] as const),
]);

/** An owner can choose a name of an object or schema that looks like another field of the comment. */
const FIELDS = /; (?:Type|Schema|Owner): /;
const isAmbiguous = ({ name, schema, type }: DumpEntry): boolean =>
  [name, schema ?? '', type].some((field) => FIELDS.test(field));

/**
 * Decides which login runs each entry of a dump, and when. The superuser creates what the app's owner cannot change; everything
 * else is created by a login that has only the privileges of the app's own roles, because PostgreSQL evaluates defaults,
 * constraints and index expressions in the session that creates them.
 * @param superusers The superusers of the source.
 * @throws Error if the dump contains an object that no app can have.
 */
export function planInstallation(entries: readonly DumpEntry[], superusers: ReadonlySet<string>): InstallPlan {
  const plan = {
    ...{
      schemas: [],
      schemaPrivileges: [],
      extensions: [],
      beforeRows: [],
      sequenceLinks: [],
      afterRows: [],
      privileges: [],
      eventTriggers: [],
    },
  } as Record<keyof InstallPlan, PlannedEntry[]>;
  let isAfterRows = false;
  for (const entry of entries) {
    isAfterRows ||= AFTER_ROWS.has(entry.type) && !isAmbiguous(entry);
    const step = stepOf(entry, isAfterRows);
    plan[step].push({ entry, login: loginOf(entry, step, superusers) });
  }
  return plan;
}

function stepOf(entry: DumpEntry, isAfterRows: boolean): keyof InstallPlan {
  const { type, name } = entry;
  if (!isAmbiguous(entry)) {
    if (type === 'SCHEMA') return 'schemas';
    if (type === 'EXTENSION') return 'extensions';
    if (type === 'ACL') return name.startsWith('SCHEMA ') ? 'schemaPrivileges' : 'privileges';
    if (type === 'DEFAULT ACL') return 'privileges';
    if (type === 'EVENT TRIGGER' || (type === 'COMMENT' && name.startsWith('EVENT TRIGGER '))) return 'eventTriggers';
    if (type === 'SEQUENCE OWNED BY') return 'sequenceLinks';
  }
  return isAfterRows ? 'afterRows' : 'beforeRows';
}

function loginOf(entry: DumpEntry, step: keyof InstallPlan, superusers: ReadonlySet<string>): Login {
  const { type, name, schema, owner } = entry;
  const isOfServer = owner !== null && (superusers.has(owner) || owner === SERVER_ROLE);
  if (isAmbiguous(entry)) {
    if (isOfServer) throw new Error(`the dump contains an object with the unclear name “${name}”`);
    return 'app';
  }
  if (isOfServer || OF_SUPERUSER.has(step)) return 'superuser';
  // No app's owner can create anything in these schemas.
  if (schema !== null && OWN_SCHEMAS.has(schema)) return 'superuser';
  return type === 'COMMENT' && name.startsWith('EXTENSION ') ? 'superuser' : 'app';
}
