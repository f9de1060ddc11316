import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { BackupState } from '../../contract/backup.ts';
import { startMailServer, type TestMailServer } from '../../test/support/mail-server.ts';
import { BackupHome } from '../backup/backup-home.ts';
import { mailServerFrom, OwnerMails } from './owner-mails.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const now = Date.parse('2026-03-10T12:00:00Z');
const at = (time: number) => new Date(time).toISOString();

let server: TestMailServer;
let folder: string;
beforeAll(async () => {
  server = await startMailServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  server.mails.length = 0;
  server.refuse = () => null;
  folder = await mkdtemp(join(tmpdir(), 'owner-mails-'));
  return () => rm(folder, { recursive: true });
});

const working = (time: number): BackupState => ({
  ...{ target: '/mnt/other', writtenAt: time, isStreaming: true, completeAt: at(time), failure: null, running: null },
  ...{ restorableFrom: at(time - 30 * DAY), hasPhrase: true, appRestores: [] },
  backups: [{ id: 'b', startedAt: at(time), finishedAt: at(time), ...{ bytes: 2, storedBytes: 1, isProven: true } }],
  drill: {
    ...{ startedAt: at(time), finishedAt: at(time), restoredTo: at(time), backup: 'b', ninefold: '1', isPassed: true },
    checks: [],
  },
});
const withFailedDrill = (time: number): BackupState => {
  const state = working(time);
  const checks = [{ app: 'desk', check: 'rows', isPassed: false, detail: 'tickets has 1 in place of 2.' }] as const;
  return { ...state, drill: state.drill && { ...state.drill, isPassed: false, checks } };
};

function mailsAbout(state: (time: number) => BackupState) {
  const current = { state, at: now };
  const log: string[] = [];
  const mails = new OwnerMails({
    server: mailServerFrom(`smtp://app:sec%3Fret@127.0.0.1:${server.port}`, 'Ninefold <node@example.com>', 'node'),
    ...{ url: 'https://node.example.com', home: new BackupHome(folder) },
    state: () => current.state(current.at),
    owners: async () => ['ada@example.com', 'bea@example.com'],
    log: (_, { reason }) => log.push(String(reason)),
  });
  const look = (time: number) => {
    current.at = time;
    return mails.look(time);
  };
  return { current, log, look };
}

it('each owner gets one mail about a failed drill, and another after a week', async () => {
  const { look } = mailsAbout(withFailedDrill);
  for (const time of [0, MINUTE, DAY, 6 * DAY]) await look(now + time);
  expect(server.mails).toHaveLength(2);
  const { parsed } = server.mails[0] ?? {};
  expect(server.mails.flatMap(({ to }) => to)).toEqual(['ada@example.com', 'bea@example.com']);
  expect(parsed?.from?.text).toBe('"Ninefold" <node@example.com>');
  expect(parsed?.subject).toBe('node.example.com: The last drill failed in 1 check.');
  expect(parsed?.text).toContain('tickets has 1 in place of 2.');
  expect(parsed?.text).toContain('https://node.example.com/backups');
  // Another process of the node knows what was sent.
  const next = mailsAbout(withFailedDrill);
  await next.look(now + 6 * DAY);
  expect(server.mails).toHaveLength(2);
  await next.look(now + 8 * DAY);
  expect(server.mails).toHaveLength(4);
});

it('a drill that is eight days old is a reason for a mail, and backups that work are none', async () => {
  const old = (time: number) => ({ ...working(time), drill: working(time - 9 * DAY).drill });
  await mailsAbout(working).look(now);
  expect(server.mails).toHaveLength(0);
  await mailsAbout(old).look(now);
  expect(server.mails[0]?.parsed.subject).toBe('node.example.com: The last restore was tried 9 days ago.');
});

it('a failure is a reason for a mail only after ten minutes, and again when it returns', async () => {
  const failing = (time: number) => ({ ...working(time), failure: { at: at(now), message: 'The disk is full.' } });
  const { current, look } = mailsAbout(failing);
  await look(now);
  await look(now + 5 * MINUTE);
  expect(server.mails).toHaveLength(0);
  await look(now + 11 * MINUTE);
  expect(server.mails).toHaveLength(2);
  current.state = working;
  await look(now + 12 * MINUTE);
  current.state = failing;
  await look(now + 13 * MINUTE);
  await look(now + 24 * MINUTE);
  expect(server.mails).toHaveLength(4);
});

it('a mail that the server refuses is sent at a later look, and its password is not logged', async () => {
  const { log, look } = mailsAbout(withFailedDrill);
  server.password = 'other';
  await look(now);
  server.password = null;
  expect(log).toHaveLength(1);
  expect(log[0]).not.toContain('sec?ret');
  await look(now + MINUTE);
  expect(server.mails).toHaveLength(2);
});
