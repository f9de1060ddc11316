import { expect, it } from 'vitest';
import { mayAccess, nobody } from './run-as.ts';

it('mayAccess uses only the bits of the first class that matches the user, as the kernel does', () => {
  const enter = 1;
  expect(mayAccess({ uid: 0, gid: 0, mode: 0o755 }, nobody, enter)).toBe(true);
  expect(mayAccess({ uid: 0, gid: 0, mode: 0o750 }, nobody, enter)).toBe(false);
  expect(mayAccess({ uid: 0, gid: nobody.gid, mode: 0o750 }, nobody, enter)).toBe(true);
  expect(mayAccess({ uid: nobody.uid, gid: 0, mode: 0o700 }, nobody, enter)).toBe(true);
  // For the owner, only the bits of the owner apply, even if all other users may do more.
  expect(mayAccess({ uid: nobody.uid, gid: 0, mode: 0o077 }, nobody, enter)).toBe(false);
});

it('mayAccess returns true only if the user has every requested bit', () => {
  const readAndRun = 5;
  expect(mayAccess({ uid: 0, gid: 0, mode: 0o711 }, nobody, readAndRun)).toBe(false);
  expect(mayAccess({ uid: 0, gid: 0, mode: 0o755 }, nobody, readAndRun)).toBe(true);
});
