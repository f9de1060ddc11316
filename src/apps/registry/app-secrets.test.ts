import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { clone } from '../../../test/support/clone.ts';
import { startPostgres, type TestPostgres } from '../../../test/support/postgres.ts';
import { parseConnectionUrl } from '../../database/connection-config.ts';
import { Pool } from '../../database/pool.ts';
import { rowsAsText } from '../../database/statement.ts';
import { SecretStore } from './app-secrets.ts';

const key = randomBytes(32);
let postgres: TestPostgres;
let database: Pool;
let secrets: SecretStore;

const sql = async (text: string, params: string[] = []) => {
  const [result] = await database.run([{ text, params }]);
  return result ? rowsAsText(result) : [];
};

beforeAll(async () => {
  postgres = await startPostgres('app-secrets');
  const target = parseConnectionUrl(postgres.url, 'test');
  database = new Pool(target, { max: 1, idleMilliseconds: 10_000, waitMilliseconds: 10_000 });
  const file = await readFile(join(clone, 'src/schema/console/0001_console.sql'), 'utf8');
  const table = file.match(/^create table node\.app_secrets[\s\S]*?^\);$/m)?.[0];
  await database.script(
    `create schema node; create table public.apps (ref text primary key); insert into public.apps values ('one'), ('two'); ${table}`,
  );
  secrets = new SecretStore(database, key);
});
beforeEach(() => database.script('truncate node.app_secrets'));
afterAll(async () => {
  await database.close();
  await postgres.stop();
});

it('SecretStore returns written secrets, also in another process with the same master key', async () => {
  await secrets.write('one', 'smtp_pass', 'first', 'operator');
  await secrets.write('one', 'smtp_pass', 'geheim ß', 'Ada');
  expect(await new SecretStore(database, key).read('one')).toEqual({ smtp_pass: 'geheim ß' });
  expect(await secrets.names('one')).toEqual(new Set(['smtp_pass']));
  expect(await secrets.read('two')).toEqual({});
  await secrets.write('one', 'smtp_pass', null, 'Ada');
  expect(await secrets.read('one')).toEqual({});
});

it('SecretStore stores no plain text', async () => {
  await secrets.write('one', 'smtp_pass', 'plain-text-of-a-secret', 'operator');
  const [row] = await sql('select s::text as all, set_by from node.app_secrets s');
  expect(row?.all).not.toContain('plain-text');
  expect(row?.set_by).toBe('operator');
});

it('SecretStore decrypts no value that was moved to another app or name, or encrypted with another master key', async () => {
  await secrets.write('one', 'smtp_pass', 'of one', 'operator');
  await sql(`update node.app_secrets set app = 'two'`);
  expect(await secrets.read('two')).toEqual({});
  await sql(`update node.app_secrets set app = 'one', name = 'other'`);
  expect(await secrets.read('one')).toEqual({});
  await sql(`update node.app_secrets set name = 'smtp_pass'`);
  expect(await secrets.read('one')).toEqual({ smtp_pass: 'of one' });
  expect(await new SecretStore(database, randomBytes(32)).read('one')).toEqual({});
});
