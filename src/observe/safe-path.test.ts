import { expect, it } from 'vitest';
import { safePath } from './safe-path.ts';

it.each([
  ['/tickets', '/tickets'],
  ['/admin/users/6f6b3c1e-58a5-4e6f-9a0b-3f2d1c0b9a88', '/admin/users/6f6b3c1e-58a5-4e6f-9a0b-3f2d1c0b9a88'],
  ['/a_very_long_name_of_a_function_without_digits', '/a_very_long_name_of_a_function_without_digits'],
  ['/verify/eyJhbGciOiJIUzI1NiJ9.e30.c2ln', '/verify/…'],
  ['/x/sb_secret_abc', '/x/…'],
  [`/invite/${'a1'.repeat(20)}/accept`, '/invite/…/accept'],
  ['/avatars/ada@example.com/1.png', '/avatars/…/1.png'],
  ['/avatars/ada%40example.com', '/avatars/…'],
])('returns %s without secrets', (path, safe) => {
  expect(safePath(path)).toBe(safe);
});
