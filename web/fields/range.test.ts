import { describe, expect, it } from 'vitest';
import type { PortalField } from '../../contract/portal.ts';
import { readDraft, toDraft } from './draft.ts';
import { textOf } from './format.ts';

const field = (range: NonNullable<PortalField['range']>): PortalField => ({
  ...{ name: 'period', label: 'Period', help: null, editor: 'text', readable: true, insertable: true, updatable: true },
  ...{ required: false, nullable: true, values: null, reference: null, rules: [], range },
});

describe('a range', () => {
  it.each([
    ['date', '[2026-02-20,2027-02-20)', 'Feb 20, 2026 – Feb 19, 2027', '[2026-02-20,2027-02-19]'],
    ['date', '[2026-02-20,)', 'Feb 20, 2026 – …', '[2026-02-20,]'],
    ['whole number', '[3,8)', '3 – 7', '[3,7]'],
    ['number', '[1.5,2.25]', '1.5 – 2.25', '[1.5,2.25]'],
  ] as const)(
    'of the kind %s with the value %s is shown as %s, and an unchanged form sends %s',
    (kind, stored, text, sent) => {
      expect(textOf(field(kind), stored)).toBe(text);
      expect(readDraft(field(kind), toDraft(field(kind), stored))).toEqual({ value: sent });
    },
  );

  it('is refused in words if one of its values is no date', () => {
    expect(readDraft(field('date'), '1 Jan 2026\nsoon-ish')).toHaveProperty('wrong');
    expect(readDraft(field('date'), 'Jan 1, 2026\nDec 31, 2026')).toEqual({ value: '[2026-01-01,2026-12-31]' });
  });
});
