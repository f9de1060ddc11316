import { expect, it } from 'vitest';
import { identifierOf } from './settings.ts';

it.each([
  ['Northwind SSO', 'custom:northwind-sso'],
  ['  Città di Torino! ', 'custom:citta-di-torino'],
  ['a'.repeat(80), `custom:${'a'.repeat(40)}`],
])('identifierOf names the provider %s as %s', (name, identifier) => {
  expect(identifierOf(name)).toBe(identifier);
});
