import { expect, it } from 'vitest';
import type { PolicyEntry, RolesChapter } from '../../../../../contract/specification-roles.ts';
import { refusalWords } from './refusal-words.ts';

const policy = (name: string, command: PolicyEntry['command'], roles: string[]): PolicyEntry => ({
  ...{ entity: 'realtime.messages', name, permissive: true, command, roles, using: null, check: null },
  ...{ words: "the topic starts with 'room:'", sql: '' },
});
const chapter = (...policies: PolicyEntry[]): RolesChapter => ({
  ...{ roles: [], cells: [], policies, default_privileges: [], advice: [], sources: [] },
});
const join = { topic: 'lobby', role: 'authenticated' };
const reason = 'Unauthorized: You do not have permissions to read from this Channel topic: lobby';

it('names the policies for SELECT of the role that refused a join', () => {
  const both = chapter(policy('rooms', 'select', ['authenticated']), policy('send', 'insert', ['authenticated']));
  expect(refusalWords(reason, join, both)).toBe(
    "No policy lets authenticated join “lobby”: “rooms” lets join if the topic starts with 'room:'.",
  );
  expect(refusalWords(reason, { ...join, role: 'anon' }, both)).toBe(
    'No policy for SELECT on realtime.messages is for anon. The policies are for authenticated.',
  );
});

it('says that no policy exists, that a setting refused, or what the server said', () => {
  expect(refusalWords(reason, join, chapter(policy('send', 'insert', ['public'])))).toContain('No policy for SELECT');
  expect(refusalWords('PrivateOnly: This project …', join, undefined)).toContain('“Private channels only”');
  expect(refusalWords('TopicNameRequired: You must …', join, undefined)).toBe('TopicNameRequired: You must …');
});
