import { existsSync, writeFileSync } from 'node:fs';
import { it } from 'vitest';
import { setTimeout as delay } from 'node:timers/promises';
import { startAppDatabase } from '../../test/support/app-database.ts';
it('x', async () => {
  const database = await startAppDatabase('scratch');
  writeFileSync('/dev/shm/writes/target.json', JSON.stringify(database.target));
  while (!existsSync('/dev/shm/writes/stop')) await delay(500);
  await database.stop();
}, 2_000_000);
