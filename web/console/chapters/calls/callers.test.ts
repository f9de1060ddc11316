import { expect, it } from 'vitest';
import { callersOf } from './callers.ts';

it.each([
  [[], 'no role'],
  [['anon', 'authenticated', 'service_role'], 'any caller'],
  [['authenticated', 'agent', 'lead', 'service_role'], 'members'],
  [['lead', 'service_role'], 'lead'],
  [['service_role'], 'secret key'],
  [['anon', 'authenticated'], 'visitors, members'],
])('callersOf describes the roles %j as “%s”', (roles, words) => expect(callersOf(roles)).toBe(words));
