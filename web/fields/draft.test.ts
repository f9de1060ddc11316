import { describe, expect, it } from 'vitest';
import type { PortalField } from '../../contract/portal.ts';
import { typedIn, valuesOf } from './draft.ts';

const field = (name: string): PortalField => ({
  ...{ name, label: name, help: null, editor: 'text', readable: true, insertable: true, updatable: true },
  ...{ required: false, nullable: true, values: null, reference: null, rules: [] },
});
const fields = ['constructor', '__proto__', 'toString', 'title'].map(field);

describe('a draft', () => {
  it('has no typed value for a field whose name is a member of every object, such as constructor', () => {
    const draft = { title: 'Typed' };
    expect(fields.map((one) => typedIn(draft, one))).toEqual([undefined, undefined, undefined, 'Typed']);
    expect(Object.entries(valuesOf(fields, draft, null))).toEqual([['title', 'Typed']]);
  });

  it('keeps the typed value of a field with such a name', () => {
    const draft = Object.fromEntries(fields.map(({ name }) => [name, `of ${name}`]));
    expect(Object.entries(valuesOf(fields, draft, null))).toEqual(fields.map(({ name }) => [name, `of ${name}`]));
  });
});
