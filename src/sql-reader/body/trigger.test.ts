import { describe, expect, it } from 'vitest';
import { triggerEffects } from './trigger.ts';

describe('triggerEffects', () => {
  it.each([
    ['always', 'update', 'begin return null; end'],
    ['always', 'delete', 'begin insert into log values (1); return new; end'],
    ['always', 'insert', 'begin return old; end'],
    ['at times', 'insert', 'begin if new.a then return null; end if; return new; end'],
    ['never', 'delete', 'begin return coalesce(old, new); end'],
    ['never', 'delete', `begin if tg_op = 'DELETE' then return old; end if; return new; end`],
    ['never', 'insert', `begin if tg_op = 'DELETE' then return null; end if; return new; end`],
    ['always', 'delete', `begin if tg_op = 'DELETE' then return null; end if; return new; end`],
    ['never', 'update', `begin raise exception 'no'; end`],
  ] as const)('says %s for the rows that an %s skips: %s', (skips, operation, body) => {
    expect(triggerEffects(body, operation).skips).toBe(skips);
  });

  const refuses = (condition: string) => `begin if ${condition} then raise 'no'; end if; return new; end`;
  it.each([
    ['always', 'delete', refuses(`TG_OP = 'DELETE'`)],
    ['never', 'insert', refuses(`tg_op = 'DELETE'`)],
    ['never', 'insert', refuses(`(tg_op in ('UPDATE', 'DELETE')) and new.a`)],
    [
      'new.a',
      'update',
      `begin if tg_op = 'INSERT' then return new; elsif new.a then raise 'no'; end if; return new; end`,
    ],
    ['old.a', 'delete', `begin if old.a then if tg_op <> 'INSERT' then raise 'no'; end if; end if; return old; end`],
    [
      'always',
      'update',
      `begin if not (tg_op != 'UPDATE' or tg_op = 'INSERT') then raise 'no'; end if; return new; end`,
    ],
    ['always', 'insert', `begin if tg_op = 'DELETE' then return old; else raise 'no'; end if; end`],
    ['never', 'update', `begin if new.a then null; elsif tg_op = 'INSERT' then raise 'no'; end if; return new; end`],
    ['other', 'insert', `begin if new.a then null; elsif tg_op = 'INSERT' then raise 'no'; end if; return new; end`],
    ['(tg_op = (new.a)::text)', 'insert', refuses('(tg_op = (new.a)::text)')],
    ['other', 'insert', `begin for i in 1..2 loop raise 'no'; end loop; return new; end`],
    ['never', 'insert', `begin begin raise 'no'; exception when others then null; end; return new; end`],
  ] as const)('says %s for the errors of an %s: %s', (raises, operation, body) => {
    const { always, sometimes } = triggerEffects(body, operation);
    const [first] = sometimes;
    expect(always ? 'always' : first ? (first.condition ?? 'other') : 'never').toBe(raises);
  });
});
