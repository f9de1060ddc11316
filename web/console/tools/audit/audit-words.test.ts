import { describe, expect, it } from 'vitest';
import type { AuditLine } from '../../queries/audit.ts';
import { actionWords, asCsv, asJsonLines, csvField, objectOf } from './audit-words.ts';

const line: AuditLine = {
  id: 'e1',
  at: '2026-11-20T14:01:38.204512Z',
  actor: '=HYPERLINK("https://evil.example")',
  actorId: null,
  action: 'setting_changed',
  details: { key: 'site_url', before: 'null', session_id: 's', empty: null },
  refused: null,
  address: '84.17.46.9',
  requestId: 'r1',
};

it('actionWords describes an action, and returns an unknown action unchanged', () => {
  expect(actionWords('builders', 'setting_changed')).toBe('changed a setting');
  expect(actionWords('members', 'of_a_later_version')).toBe('of a later version');
});

it('objectOf writes the details of an entry on one line', () => {
  expect(objectOf(line)).toBe('key: site_url, before: null');
});

describe('asCsv and csvField', () => {
  it.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['=1+1', "'=1+1"],
    ['\t@SUM(A1)', "'\t@SUM(A1)"],
    ['-2', "'-2"],
  ])('write the field %j so that no spreadsheet evaluates it', (value, field) => expect(csvField(value)).toBe(field));

  it('write one line for each entry', () => {
    const [names, first, rest] = asCsv([line]).split('\r\n');
    expect(names).toBe('at,actor,actor_id,action,details,refused,address,request_id');
    expect(first).toContain(`"'=HYPERLINK(""https://evil.example"")"`);
    expect(rest).toBe('');
    expect(
      asJsonLines([line, line])
        .trimEnd()
        .split('\n')
        .map((each) => JSON.parse(each).id),
    ).toEqual(['e1', 'e1']);
  });
});
