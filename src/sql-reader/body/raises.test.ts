import { describe, expect, it } from 'vitest';
import { type Raise, raisesOf } from './raises.ts';

const body = (statement: string) => `declare x int; begin ${statement} end`;
const one = (statement: string): Raise | undefined => raisesOf(body(statement))[0];

describe('raisesOf', () => {
  it.each<[string, string | null, string | null]>([
    [`raise exception 'no';`, 'P0001', 'no'],
    [`raise 'no % of %', a, b;`, 'P0001', 'no % of %'],
    [`raise exception '100%% of %', x;`, 'P0001', '100% of %'],
    [`raise exception 'it''s' using errcode = 'PT402';`, 'PT402', "it's"],
    [`raise exception using errcode = 'unique_violation', message = 'taken';`, '23505', 'taken'],
    [`RAISE unique_violation USING MESSAGE = 'taken';`, '23505', 'taken'],
    ['raise division_by_zero;', '22012', 'division_by_zero'],
    [`raise sqlstate 'AB123' using message := format('no %s', x);`, 'AB123', 'no %'],
    [`raise exception E'tab\\there' using errcode = 'A0001';`, 'A0001', 'tab\there'],
    [`raise exception 'x' using errcode = code_of(x, 'y');`, null, 'x'],
    [`raise exception using message = 'a' || x;`, 'P0001', null],
    [`raise exception 'semi; colon';`, 'P0001', 'semi; colon'],
    [`if x > 1 then raise 'big'; end if;`, 'P0001', 'big'],
    [`assert x > 0, 'not positive';`, 'P0004', 'not positive'],
    [`<<here>> raise 'labelled';`, 'P0001', 'labelled'],
  ])('reads the error of %s', (statement, sqlstate, message) => {
    expect(one(statement)).toMatchObject({ sqlstate, message });
  });

  it('reads the detail and the hint of an error', () => {
    expect(one(`raise 'no' using hint = 'Ask.', detail = 'Because.';`)).toMatchObject({
      hint: 'Ask.',
      detail: 'Because.',
    });
  });

  it('ignores other levels, comments, strings and dollar-quoted texts', () => {
    const quiet = `raise notice 'x'; raise warning 'y'; -- raise exception 'z';
      /* raise 'a'; /* nested */ raise 'b'; */ perform 'raise exception ''c'';'; execute $q$ begin raise 'd'; end $q$;`;
    expect(raisesOf(body(quiet))).toEqual([]);
  });

  it('marks an error as possibly caught if a handler of its block or of an outer block can catch it', () => {
    const source = `begin
      begin raise 'inner'; exception when others then raise 'from the handler'; end;
      if true then raise 'outside'; end if;
    end`;
    expect(raisesOf(source).map(({ message, mayBeCaught }) => [message, mayBeCaught])).toEqual([
      ['inner', true],
      ['from the handler', false],
      ['outside', false],
    ]);
  });

  it('marks a RAISE without arguments in a handler as raising the caught error again', () => {
    expect(raisesOf('begin null; exception when others then raise; end')).toMatchObject([
      { isAgain: true, sqlstate: null },
    ]);
  });

  it.each(['begin raise', `begin raise 'never ends`, '/* never ends', '$a$ x', `"`, '', 'raise exception using'])(
    'does not fail if the source is truncated: %j',
    (source) => expect(() => raisesOf(source)).not.toThrow(),
  );
});
