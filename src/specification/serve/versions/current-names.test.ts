import { expect, it } from 'vitest';
import { withCurrentNames } from './current-names.ts';

it('withCurrentNames renames the properties of chapters that earlier builds stored, and keeps names of the app that look the same', () => {
  const stored = {
    entities: { entities: [{ name: 'shown_keys', weight: 1 }], shown_keys: [{ view: 'public.v', shows: 'from' }] },
    roles: {
      from_now_on: [{ id: 'public tables', words: 'w' }],
      advice: [
        { id: 'a', weight: 'risk' },
        { id: 'b', weight: 'fault' },
      ],
    },
    rules: { rules: [{ weight: 'risk' }] },
  };
  expect(withCurrentNames(stored)).toEqual({
    entities: {
      entities: [{ name: 'shown_keys', weight: 1 }],
      view_foreign_keys: [{ view: 'public.v', side: 'from' }],
    },
    roles: {
      default_privileges: [{ id: 'public tables', words: 'w' }],
      advice: [
        { id: 'a', severity: 'security' },
        { id: 'b', severity: 'fault' },
      ],
    },
    rules: { rules: [{ weight: 'risk' }] },
  });
});

it('withCurrentNames returns chapters of this build unchanged', () => {
  const chapters = { roles: { default_privileges: [], advice: [{ weight: 'risk' }] }, entities: {} };
  expect(withCurrentNames(chapters)).toEqual(chapters);
});
