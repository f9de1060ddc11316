import { type StorageCall, type StorageRight, storageCalls } from '../../../../../contract/calls.ts';
import type { CallEntry } from '../../../../../contract/specification-calls.ts';
import { Access } from '../../../../access/access.ts';
import type { Lookup } from '../../../../access/lookup.ts';
import type { RowOperation } from '../../../../access/operations.ts';
import { fileTables } from '../files.ts';

/** Returns the calls of /storage/v1; none if the app has no files. */
export function storageCallEntries(look: Lookup): CallEntry[] {
  const tables = fileTables(look, look.facts);
  if (!tables) return [];
  const access = new Access(look);
  const roles = look.shared.roles.filter(({ barred }) => barred === null);
  const holders = (right: StorageRight): ReadonlySet<string> => {
    const [operation, table] = right.split(' ') as [RowOperation, keyof typeof tables];
    const open = roles.filter(({ caller }) => access.decide(caller, tables[table], operation).verdict !== 'never');
    return new Set(open.map(({ name }) => name));
  };
  const rights = [...new Set(storageCalls.flatMap(({ needs }) => needs))];
  const byRight = new Map(rights.map((right) => [right, holders(right)]));
  const names = roles.map(({ name }) => name);
  return storageCalls.map((call) =>
    entry(
      call,
      names.filter((name) => call.needs.every((right) => byRight.get(right)?.has(name))),
    ),
  );
}

const entry = ({ id, method, path, summary, parameters, returns }: StorageCall, roles: string[]): CallEntry => ({
  id,
  area: 'storage',
  method,
  path,
  summary,
  entity: null,
  setting: null,
  roles,
  parameters,
  returns,
});
