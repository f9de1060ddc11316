import { expect, it } from 'vitest';
import { socketFolderFor } from './settings.ts';

it('names no Unix socket where its path would be too long for the system', () => {
  expect(socketFolderFor('/srv/ninefold/postgres', 5432)).toBe('/srv/ninefold/postgres');
  expect(socketFolderFor(`/srv/${'x'.repeat(90)}`, 5432)).toBeNull();
});
