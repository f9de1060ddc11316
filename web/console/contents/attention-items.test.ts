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
const specification = (advice: object[], screens: object[]) =>
  ({ chapters: { roles: { advice }, screens: { screens } } }) as unknown as Specification;
const requests = (calls: number, failed: number) => ({ today: { calls, failed } }) as Activity;

it('lists findings, failing requests and broken screens, the most urgent first', () => {
  const advice = [finding('performance', 'a'), finding('unused', 'b'), finding('security', 'c'), finding('fault', 'd')];
  const screens = [
    { route: '/queue', broken: ['the view is gone'] },
    { route: '/tickets', broken: [] },
  ];
  expect(attentionItems(specification(advice, screens), requests(200, 30)).map(({ on, words }) => [on, words])).toEqual(
    [
      ['d', 'd is wrong.'],
      [null, '15% of today’s requests failed.'],
      ['/queue', 'The screen is broken: the view is gone'],
      ['c', 'c is wrong.'],
      ['a', 'a is wrong.'],
    ],
  );
});

it('lists nothing for an app without findings whose requests rarely fail', () => {
  expect(attentionItems(specification([], []), requests(1000, 49))).toEqual([]);
  expect(attentionItems(specification([], []), requests(0, 0))).toEqual([]);
  expect(attentionItems({ chapters: {} } as Specification, undefined)).toEqual([]);
});
