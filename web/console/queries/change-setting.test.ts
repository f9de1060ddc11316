import { expect, it } from 'vitest';
import type { LimitLine, Specification } from '../../../contract/specification.ts';
import { withLimit } from './settings.ts';

const line = (id: string): LimitLine => ({
  id,
  group: 'sessions',
  unit: 'seconds',
  meaning: '',
  default: 3600,
  value: 3600,
  range: null,
  set_in: 'code',
  change: { by: 'setting', key: 'jwt_exp' },
  may_be_unlimited: false,
  code: null,
});
const known: Specification = {
  app: { ref: 'a', name: 'a' },
  hash: '',
  chapters: { limits: { limits: [line('a'), line('b')], sources: [] } },
};
const first = (specification: Specification) => specification.chapters.limits?.limits[0];

it('withLimit shows the new value of a limit before the server responds, and leaves the other limits unchanged', () => {
  const changed = withLimit(known, 'a', 60);
  expect(first(changed)).toMatchObject({ value: 60, set_in: 'setting' });
  expect(changed.chapters.limits?.limits[1]).toBe(known.chapters.limits?.limits[1]);
  expect(first(known)?.value).toBe(3600);
});

it('withLimit shows that a limit was removed, or that it was reset to its default', () => {
  const unlimited = withLimit(known, 'a', null);
  expect(first(unlimited)).toMatchObject({ value: null, set_in: 'setting' });
  expect(first(withLimit(unlimited, 'a', 'default'))).toMatchObject({ value: 3600, set_in: 'code' });
});
