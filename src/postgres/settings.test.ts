import { expect, it } from 'vitest';
import { socketFolderFor } from './settings.ts';

it('socketFolderFor returns no socket folder if the path of the socket would be too long', () => {
  expect(socketFolderFor('/srv/ninefold/postgres', 5432)).toBe('/srv/ninefold/postgres');
  expect(socketFolderFor(`/srv/${'x'.repeat(90)}`, 5432)).toBeNull();
});
