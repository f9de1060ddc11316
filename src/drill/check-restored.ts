import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { DrillCheck, DrillResult } from '../../contract/backup.ts';
import { databaseName } from '../apps/registry/app-record.ts';
import { superuserIn, withPool } from '../apps/registry/server.ts';
import type { DrillRecord } from '../backup/backup-home.ts';
import type { ConnectionConfig } from '../database/connection-config.ts';
import type { Executor } from '../database/database.ts';
import { RawSession } from '../database/raw-session.ts';
import { plain, rowsAsText } from '../database/statement.ts';
import type { SpecificationService } from '../specification/serve/specification-service.ts';
import { readHead } from '../specification/serve/versions/store.ts';
import type { AppsOfServer } from './apps-of-server.ts';
import { countRows } from './row-counts.ts';

/** How long the checks of a drill may take. Apps that are left then are named as not checked. */
const CHECKS_MILLISECONDS = 15 * 60_000;
/** How long one check may take. An expression of an index is code of the owner, which may never end. */
const CHECK_MILLISECONDS = 5 * 60_000;
/** Number of differences that a line names. */
const NAMED = 5;

export interface DrillOptions {
  /** The apps of the restored server. */
  readonly restored: AppsOfServer;
  readonly specifications: SpecificationService;
  readonly record: DrillRecord;
  /** The version of Ninefold, with its build. Only versions that it has recorded are compared. */
  readonly build: string;
}

/** Checks a server that was restored to the position of a record. Returns one entry for each check, the failed ones first. */
export async function checkRestored(options: DrillOptions): Promise<DrillCheck[]> {
  const { restored, record } = options;
  const until = performance.now() + CHECKS_MILLISECONDS;
  const checks: DrillCheck[] = [await attempt(null, 'canary', () => checkMarks(restored, record))];
  const refs = await restored.refs();
  let checked = 0;
  for (const ref of [record.app, ...refs.filter((each) => each !== record.app)]) {
    if (performance.now() > until) break;
    if (!refs.includes(ref)) checks.push({ app: ref, check: 'opens', isPassed: false, detail: 'The app is missing.' });
    else checks.push(...(await checkApp(options, ref)));
    checked += 1;
  }
  if (checked < refs.length) {
    const detail = `${refs.length - checked} of ${refs.length} apps were not checked, because the time was up.`;
    checks.push({ app: null, check: 'opens', isPassed: true, detail });
  }
  return [...checks.filter(({ isPassed }) => !isPassed), ...checks.filter(({ isPassed }) => isPassed)];
}

/** Returns the result of a drill whose restore failed. */
export const failedRestore = (
  facts: Omit<DrillResult, 'isPassed' | 'checks' | 'finishedAt'>,
  error: unknown,
): DrillResult => ({
  ...facts,
  finishedAt: new Date().toISOString(),
  isPassed: false,
  checks: [
    { app: null, check: 'restore', isPassed: false, detail: error instanceof Error ? error.message : String(error) },
  ],
});

async function checkApp({ restored, specifications, record, build }: DrillOptions, ref: string): Promise<DrillCheck[]> {
  const target = superuserIn(restored.server, databaseName(ref));
  const checks = [
    await attempt(ref, 'specification', () =>
      restored.with(ref, async (app) => {
        const { hash } = await specifications.cells(app);
        if (ref === record.app && hash !== record.specification) return 'It differs from the one of that moment.';
        const { latest, pending } = await readHead(app.serverDatabase);
        const isComparable = latest?.ninefold === build && pending.length === 0;
        return isComparable && latest.hash !== hash ? `It differs from version ${latest.number} of the app.` : null;
      }),
    ),
  ];
  if (ref === record.app) {
    checks.push(await attempt(ref, 'rows', () => compareRows(target, record)));
  }
  // The last check, because it creates an extension.
  checks.push(await attempt(ref, 'indexes', () => withPool(target, checkIndexes)));
  return checks;
}

const passed: Readonly<Record<DrillCheck['check'], string>> = {
  restore: 'The backup was restored.',
  opens: 'The app opens.',
  specification: 'The specification was derived and is the recorded one.',
  indexes: 'Each index fits its table.',
  rows: 'The tables have the recorded rows and keys.',
  canary: 'The last transaction before the moment is there, and the first one after it is not.',
};

/** Runs a check, which returns the reason of its failure or null. */
async function attempt(
  app: string | null,
  check: DrillCheck['check'],
  run: () => Promise<string | null>,
): Promise<DrillCheck> {
  const timer = new AbortController();
  // The restored server ends a check that is late, when it stops: a function can ignore the cancellation of its statement.
  const late = delay(CHECK_MILLISECONDS, 'The check did not end in time.', { signal: timer.signal, ref: false });
  const reason = await Promise.race([
    run().catch((error: unknown) => (error instanceof Error ? error.message : String(error))),
    late.catch(() => null),
  ]);
  timer.abort();
  return { app, check, isPassed: reason === null, detail: reason ?? passed[check] };
}

async function checkMarks({ console }: AppsOfServer, { mark }: DrillRecord): Promise<string | null> {
  const [result] = await console.run([plain('select max(id) as last from node.backup_marks')]);
  const last = Number(result && rowsAsText(result)[0]?.last);
  return last === mark ? null : `The last mark is ${last}, and ${mark} was expected.`;
}

/**
 * Verifies each B-tree index with the extension amcheck, which switches to the owner of a table before it evaluates
 * expressions of the owner. The extension is created in a schema with a name that no owner can guess, because its script runs
 * as the superuser, who then calls what is in the schema.
 */
async function checkIndexes(executor: Executor): Promise<string | null> {
  const schema = `ninefold_drill_${randomBytes(8).toString('hex')}`;
  await executor.run([
    plain('drop extension if exists amcheck cascade'),
    plain(`create schema ${schema}`),
    plain(`create extension amcheck with schema ${schema}`),
  ]);
  const [indexes] = await executor.run([
    plain(`select c.oid::text as index from pg_catalog.pg_index i join pg_catalog.pg_class c on c.oid = i.indexrelid
      join pg_catalog.pg_am m on m.oid = c.relam
      where m.amname = 'btree' and c.relkind = 'i' and c.relpersistence = 'p' and i.indisvalid and i.indisready`),
  ]);
  const damaged: string[] = [];
  for (const { index } of indexes ? rowsAsText(indexes) : []) {
    const check = `select ${schema}.bt_index_check('${index}'::pg_catalog.regclass, true)`;
    await executor.run([plain(check)]).catch((error: unknown) => damaged.push((error as Error).message));
  }
  return damaged.length === 0 ? null : named(damaged);
}

async function compareRows(target: ConnectionConfig, { rows }: DrillRecord): Promise<string | null> {
  const names = Object.keys(rows);
  const session = await RawSession.open(target);
  const count = async () => {
    await session.query('begin isolation level repeatable read, read only');
    return countRows(session, names);
  };
  const found = await count().finally(() => session.close());
  const different = names.filter((name) => rows[name] !== found[name]);
  return different.length === 0
    ? null
    : named(
        different.map((name) => `${name} has ${found[name] ?? 'no table'} in place of ${rows[name] ?? 'no table'}`),
      );
}

const named = (problems: readonly string[]): string =>
  `${problems.slice(0, NAMED).join('; ')}${problems.length > NAMED ? `; and ${problems.length - NAMED} more` : ''}.`;
