import { it } from 'vitest';
import pg from 'pg';
import cluster from '../../schema/cluster.sql';
import { startPostgres } from '../../../test/support/postgres.ts';
import { rightNames } from '../../../contract/server-rights.ts';
import { appFiles, consoleFiles } from './schema-files.ts';
import { withoutSuperuser } from './without-superuser.ts';
it('x', async () => {
  const postgres = await startPostgres('managed');
  const admin = new pg.Client(postgres.url); await admin.connect();
  await admin.query(`create role nf_admin login createrole createdb bypassrls password 'x'`);
  const u = new URL(postgres.url); u.username = 'nf_admin'; u.password = 'x';
  const c = new pg.Client(u.href); await c.connect();
  await c.query(`create database nfm`); await c.end();
  u.pathname = '/nfm';
  const d = new pg.Client(u.href); await d.connect();
  d.on('notice', (n) => console.log('NOTICE', n.message));
  const run = async (what: string, sql: string) => { try { await d.query(sql); console.log('ok', what); } catch (e: any) { console.log('ERR', what, e.code, e.message, e.where ?? '', e.position ? sql.slice(Number(e.position)-80, Number(e.position)+80) : '', e.internalQuery ?? ''); await d.query('rollback').catch(()=>0); return false; } return true; };
  await run('cluster', `` + cluster);
  for (const file of [...appFiles, ...consoleFiles]) {
    const ok = await run(file.name, `begin; set local search_path = ''; ${withoutSuperuser(file, rightNames)}; commit`);
    if (!ok) break;
  }
  await d.end(); await admin.end(); await postgres.stop();
}, 120_000);
