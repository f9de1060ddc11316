import { expect, it } from 'vitest';
import { parseNotification } from './app.ts';

it("parseNotification parses Ninefold's own notifications and ignores all others", () => {
  expect(parseNotification('{"type":"schema"}')).toEqual({ type: 'schema' });
  expect(parseNotification('{"type":"session-revoked","ids":["a",5,null]}')).toEqual({
    type: 'session-revoked',
    ids: ['a'],
  });
  for (const stranger of [
    '',
    'null',
    '[]',
    '5',
    '{"type":"listening"}',
    '{"type":5}',
    '{"type":"disconnected"}',
    '{',
    '{"type":"session-revoked"}',
  ]) {
    const heard = parseNotification(stranger);
    expect(heard === null || (heard.type === 'session-revoked' && heard.ids.length === 0)).toBe(true);
  }
});
