import { expect, it } from 'vitest';
import { startPostgres } from '../../../test/support/postgres.ts';
import { parseConnectionUrl } from '../../database/connection-config.ts';
import { Pool } from '../../database/pool.ts';
import { plain, quoteLiteral } from '../../database/statement.ts';
import { scramVerifier } from './scram-verifier.ts';

it('a role with the verifier of scramVerifier logs in only with its password', async () => {
  const postgres = await startPostgres('scram');
  const target = parseConnectionUrl(postgres.url, 'test');
  const options = { max: 1, idleMilliseconds: 1000, waitMilliseconds: 5000 };
  const superuser = new Pool(target, options);
  const login = (password: string) => new Pool({ ...target, user: 'app', password }, options);
  const pools = [login('the password'), login('another')] as const;
  try {
    await superuser.run([plain(`create role app login password ${quoteLiteral(scramVerifier('the password'))}`)]);
    await expect(pools[0].run([plain('select 1')])).resolves.toHaveLength(1);
    await expect(pools[1].run([plain('select 1')])).rejects.toMatchObject({ sqlstate: '28P01' });
  } finally {
    for (const pool of [superuser, ...pools]) await pool.close();
    await postgres.stop();
  }
});
