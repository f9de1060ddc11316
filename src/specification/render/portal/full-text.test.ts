import { expect, it } from 'vitest';
import type { Entity } from '../../../../contract/specification-entities.ts';
import type { Facts } from '../../../catalog/facts.ts';
import { fullTextFields } from './full-text.ts';

it('fullTextFields finds fields of type tsvector and texts with an index, and leaves out indexes over several fields', () => {
  const fields = [
    { name: 'words', default: "to_tsvector('english'::regconfig, ((title || ' '::text) || body))" },
    { name: 'filled', default: null },
    ...['body', 'odd "name', 'title'].map((name) => ({ name, default: null })),
  ];
  const entity = { schema: 'public', name: 'articles', fields } as unknown as Entity;
  const parts = [
    'words',
    'filled',
    "to_tsvector('german'::regconfig, body)",
    `to_tsvector('simple'::regconfig, ("odd ""name")::text)`,
    "to_tsvector('english'::regconfig, ((title || ' '::text) || body))",
    "to_tsvector('english'::regconfig, COALESCE(title, ''::text))",
  ];
  const facts = {
    relations: [{ oid: 7, schema: 'public', name: 'articles' }],
    text_indexes: [...parts.map((part) => ({ relation: 7, part })), { relation: 8, part: 'title' }],
  } as unknown as Facts;
  expect([...fullTextFields(facts, entity)]).toEqual([
    ['words', 'english'],
    ['filled', null],
    ['body', 'german'],
    ['odd "name', 'simple'],
  ]);
});
