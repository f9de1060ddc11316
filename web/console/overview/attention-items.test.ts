import { expect, it } from 'vitest';
import type { Activity } from '../../../contract/admin.ts';
import type { Specification } from '../../../contract/specification.ts';
import { attentionItems } from './attention-items.ts';

const finding = (severity: string, on: string) => ({
  id: `${severity}: ${on}`,
  severity,
  on,
  words: `${on} is wrong.`,
});
const specification = (advice: object[], screens: object[], calls: object[] = []) =>
  ({ chapters: { roles: { advice }, screens: { screens }, calls: { calls } } }) as unknown as Specification;
const requests = (calls: number, failed: number) => ({ today: { calls, failed } }) as Activity;

it('attentionItems lists findings, failing requests and broken screens, the most urgent first', () => {
  const advice = [finding('performance', 'a'), finding('unused', 'b'), finding('security', 'c'), finding('fault', 'd')];
  const screens = [
    { route: '/queue', broken: ['the view is gone'] },
    { route: '/tickets', broken: [] },
  ];
  expect(attentionItems(specification(advice, screens), requests(200, 30)).map(({ on, words }) => [on, words])).toEqual(
    [
      ['d', 'd is wrong.'],
      [null, '15% of the requests failed today.'],
      ['/queue', 'The screen is broken: the view is gone'],
      ['c', 'c is wrong.'],
      ['a', 'a is wrong.'],
    ],
  );
});

it('attentionItems names the calls that mostly fail instead of the share of all requests', () => {
  const call = (path: string, calls: number, failed: number) => ({
    ...{ id: `rest${path}`, method: 'GET', path: `/rest/v1${path}` },
    figures: { day: { calls, failed, failed_share: failed / calls } },
  });
  const calls = [call('/few', 4, 4), call('/sound', 100, 49), call('/a', 10, 6), call('/b', 40, 40), { id: 'x' }];
  expect(attentionItems(specification([], [], calls), requests(200, 99))).toEqual([
    {
      ...{ id: 'rest/b', on: 'GET /rest/v1/b', words: '100% of the requests failed in 24 hours.' },
      ...{ page: 'calls', search: { call: 'rest/b' } },
    },
    expect.objectContaining({ on: 'GET /rest/v1/a', words: '6 of 10 requests failed in 24 hours.' }),
  ]);
});

it('attentionItems lists nothing for an app without findings whose requests rarely fail', () => {
  expect(attentionItems(specification([], []), requests(1000, 49))).toEqual([]);
  expect(attentionItems(specification([], []), requests(0, 0))).toEqual([]);
  expect(attentionItems({ chapters: {} } as Specification, undefined)).toEqual([]);
});
