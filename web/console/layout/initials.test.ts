import { expect, it } from 'vitest';
import { initials } from './initials.ts';

it.each([
  ['Ines Okafor', 'IO'],
  ['ines.okafor@northwind.example', 'IO'],
  ['Ines Maria Okafor', 'IO'],
  ['ines', 'I'],
  ['Émile Zola', 'ÉZ'],
  ['', ''],
])('initials abbreviates %s to %s', (name, letters) => expect(initials(name)).toBe(letters));
