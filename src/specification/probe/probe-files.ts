import { randomUUID } from 'node:crypto';
import { limits } from '../../../contract/limits.ts';
import type { ProbedFileCell } from '../../../contract/probe.ts';
import type { FileOperation } from '../../../contract/specification-files.ts';
import type { FileCell } from '../../../contract/specification-roles.ts';
import type { AttemptResult } from '../../access/attempts.ts';
import { lookupOf } from '../../access/lookup.ts';
import type { RowOperation } from '../../access/operations.ts';
import { type CodeFacts, codeQueries } from '../../catalog/executed-code.ts';
import type { Facts } from '../../catalog/facts.ts';
import { groupBy } from '../../catalog/group.ts';
import { readCatalog } from '../../catalog/read-catalog.ts';
import type { Database } from '../../database/database.ts';
import { quoteLiteral } from '../../database/statement.ts';
import { fileTables } from '../derive/chapters/files.ts';
import { statementsOf } from '../derive/chapters/roles/file-cells.ts';
import { evaluateAttempts, type Try } from './evaluate-attempts.ts';
import { probedAccounts } from './probe.ts';
import { type ProbeCaller, probeCallers } from './probe-callers.ts';
import { probeGroups } from './probe-groups.ts';
import { SideEffects } from './side-effects.ts';

/** The members that try each cell. */
const MEMBERS = 2;

/** The operation of each request, which policies read with `storage.operation()`. */
const operationOf: Readonly<Record<FileOperation, string>> = {
  read: 'storage.object.get_authenticated',
  list: 'storage.object.list',
  upload: 'storage.object.upload',
  replace: 'storage.object.upload_update',
  move: 'storage.object.move',
  delete: 'storage.object.delete_many',
};

/**
 * Tests the cells of files with the statements of /storage/v1, one bucket in each transaction, and rolls them back. The
 * rights of a caller do not depend on the bytes, so none are stored.
 * @throws ConnectionError, PoolTimeoutError, and DatabaseError if the catalog cannot be read.
 */
export async function probeFiles(
  database: Database,
  facts: Facts,
  cells: readonly FileCell[],
  isStopped: () => boolean,
): Promise<ProbedFileCell[]> {
  const look = lookupOf(facts);
  const tables = fileTables(look, facts);
  if (!tables || cells.length === 0) return [];
  const code = await readCatalog<CodeFacts>(database, codeQueries, limits.catalogLockMilliseconds.default);
  const effects = new SideEffects(look, code);
  const accounts = await probedAccounts(database);
  return probeGroups(database, [...groupBy(cells, ({ bucket }) => bucket).values()], {
    searchPath: ['storage', 'public', 'extensions'],
    maxGroups: limits.probedBuckets.default,
    notReached: 'the probe did not come to this bucket',
    plan: (cell) => {
      const role = look.shared.roles.find(({ name }) => name === cell.role);
      const barred = [...new Set<RowOperation>(['insert', ...statementsOf[cell.operation]])]
        .map((statement) => effects.of(tables.objects, statement))
        .find((why) => why !== null);
      if (role === undefined || role.barred !== null) return { why: 'no call has this role' };
      if (cell.operation === 'read' && cell.reason.includes('public bucket'))
        return { why: 'no policy decides who reads a public bucket' };
      if (barred) return { why: `not tried: ${barred}` };
      const callers = probeCallers(role, accounts, [], false, MEMBERS);
      return { tries: callers.flatMap((caller) => attemptsOf(cell, caller)) };
    },
    evaluate,
    notProbed,
    isStopped,
  });
}

/** Returns the attempts of a caller: on a file of the own folder, and on a file without a folder. */
function attemptsOf(cell: FileCell, caller: ProbeCaller): Try[] {
  const name = `ninefold-probe-${randomUUID()}.txt`;
  const paths = [
    ...(caller.userId === null
      ? []
      : [{ path: `${caller.userId}/${name}`, row: 'a file of the own folder', owner: caller.userId }]),
    { path: name, row: 'a file without a folder', owner: null },
  ];
  return paths.map(({ path, row, owner }) => {
    const [bucket, object, metadata] = [cell.bucket, path, '{"size": 5, "mimetype": "text/plain"}'].map(quoteLiteral);
    const own = owner === null ? 'null' : quoteLiteral(owner);
    const self = caller.userId === null ? 'null' : quoteLiteral(caller.userId);
    const insert = (of: string) =>
      `insert into storage.objects (bucket_id, name, owner_id, metadata) values (${bucket}, ${object}, ${of}, ${metadata})`;
    const where = `where bucket_id = ${bucket} and name = ${object}`;
    const statements: Readonly<Record<FileOperation, string>> = {
      read: `select id from storage.objects ${where}`,
      list: `select id from storage.objects ${where}`,
      upload: insert(self),
      replace: `${insert(self)} on conflict (bucket_id, name) do update set owner_id = excluded.owner_id, metadata = excluded.metadata`,
      move: `update storage.objects set name = name || '.moved' ${where}`,
      delete: `delete from storage.objects ${where}`,
    };
    const settings = `select pg_catalog.set_config('storage.operation', ${quoteLiteral(operationOf[cell.operation])}, true),
      pg_catalog.set_config('storage.allow_delete_query', 'true', true)`;
    const setup = [caller.setup, settings, cell.operation === 'upload' ? undefined : insert(own)];
    return {
      ...{ caller, row },
      attempt: {
        ...{ role: caller.role, claims: caller.claims, kind: 'rows', sql: statements[cell.operation] },
        setup: setup.filter((part) => part !== undefined).join(';\n'),
      },
    };
  });
}

const last = (operation: FileOperation): RowOperation => statementsOf[operation].at(-1) ?? 'select';

const evaluate = (
  { role, bucket, operation, verdict }: FileCell,
  tries: readonly Try[],
  answers: readonly AttemptResult[],
): ProbedFileCell => ({
  ...{ role, bucket, operation, verdict },
  ...evaluateAttempts(verdict, last(operation), tries, answers),
});

const notProbed = ({ role, bucket, operation, verdict }: FileCell, note: string): ProbedFileCell => ({
  ...{ role, bucket, operation, verdict },
  ...{ outcome: 'not probed', note, attempts: [] },
});
