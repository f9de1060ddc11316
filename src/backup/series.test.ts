import { randomBytes, randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { makeTestHome } from '../../test/support/test-folder.ts';
import { openFolder } from '../files/open-store.ts';
import { SealedStore } from './sealed-store.ts';
import { createSeries, listSeries } from './series.ts';

it('lists the series of a target beside objects that a stranger has put there', async () => {
  const target = openFolder(await makeTestHome('series'));
  const identity = { systemIdentifier: '7', timeline: 1, segmentBytes: 16_777_216 };
  const { series } = await createSeries(target, randomBytes(32), identity, 'a node');
  const planted = [
    'no JSON',
    'null',
    '[]',
    '{"id": 5}',
    JSON.stringify({ ...series, createdAt: '9999' }),
    `{"createdAt": null}`,
  ];
  for (const text of planted) {
    const store = new SealedStore(target, Buffer.alloc(0), `ninefold-backups/${randomUUID()}/`);
    await store.putPlain('series', Buffer.from(text));
  }
  expect(await listSeries(target)).toEqual([series]);
});
