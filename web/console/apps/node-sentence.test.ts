import { expect, it } from 'vitest';
import type { AppSummary, NodeStatus } from '../../../contract/admin.ts';
import { nodeSentence } from './node-sentence.ts';

const now = Date.parse('2026-11-20T14:00:00Z');
const app = (ref: string): AppSummary => ({
  ref,
  name: ref,
  url: `http://127.0.0.1:9009/apps/${ref}`,
  created_at: '2026-11-20T13:00:00Z',
});
const sizes = (...refs: string[]) => new Map(refs.map((ref) => [ref, 8 * 1024 * 1024]));
const status: NodeStatus = {
  url: 'http://127.0.0.1:9009',
  version: '0.1.0',
  node_version: 'v20.20.2',
  postgres: { version: '18.4', embedded: true, connections: 3, max_connections: 400 },
  missing_rights: [],
  database_url: null,
  workers: 2,
  started_at: '2026-11-01T14:00:00Z',
  lost_log_lines: 0,
  apps: [],
};

it('nodeSentence uses singular and plural, and omits figures that are unknown', () => {
  expect(nodeSentence([], sizes(), status, now)).toMatch(
    /^None yet\. PostgreSQL 18\.4 has 3 of 400 connections in use; 2 workers/,
  );
  expect(nodeSentence([app('a')], sizes('a'), { ...status, workers: 1 }, now)).toMatch(
    /^1 app uses 8\.0 MB\. .* 1 worker up for 19 days\.$/,
  );
  expect(nodeSentence([app('a'), app('b')], sizes('a', 'b'), status, now)).toMatch(/^2 apps use 16 MB\./);
});

it('nodeSentence leaves out sizes that are not loaded yet', () => {
  expect(nodeSentence([app('a'), app('b')], undefined, status, now)).toMatch(/^2 apps\. PostgreSQL/);
});

it('nodeSentence says so if the node does not run its PostgreSQL itself', () => {
  const postgres = { ...status.postgres, embedded: false };
  expect(nodeSentence([], sizes(), { ...status, postgres }, now)).toContain('An external PostgreSQL 18.4');
});

it('nodeSentence says how many lines of the log could not be written, if there are any', () => {
  expect(nodeSentence([], sizes(), status, now)).not.toContain('log');
  const lossy = { ...status, lost_log_lines: 1200 };
  expect(nodeSentence([], sizes(), lossy, now)).toMatch(
    / 1,200 lines of the log could not be written: check its disk or reader\.$/,
  );
});
