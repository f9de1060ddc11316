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

  it('marks an error as caught if a handler of its block or of an outer block catches it', () => {
    const source = `begin
      begin raise 'inner'; exception when others then raise 'from the handler'; end;
      if true then raise 'outside'; end if;
    end`;
    expect(raisesOf(source).map((raise) => [raise.message, raise.isCaught])).toEqual([
      ['inner', true],
      ['from the handler', false],
      ['outside', false],
    ]);
  });

  it.each<[boolean, string, string]>([
    [true, `'x' using errcode = 'unique_violation'`, 'unique_violation'],
    [true, `'x' using errcode = '23505'`, `sqlstate '23505'`],
    [true, `'x' using errcode = '23505'`, 'check_violation or unique_violation'],
    [true, `'x' using errcode = '23505'`, 'integrity_constraint_violation'],
    [true, `'x'`, 'raise_exception'],
    [true, `'x'`, 'plpgsql_error'],
    [true, `'x' using errcode = code_of(x)`, 'others'],
    [false, `'x' using errcode = code_of(x)`, 'unique_violation'],
    [false, `'x' using errcode = '23505'`, 'check_violation'],
    [false, `'x'`, 'no_data_found'],
    [false, `'x' using errcode = 'query_canceled'`, 'others'],
    [true, `'x' using errcode = 'query_canceled'`, 'query_canceled'],
  ])('returns isCaught %s for RAISE %s and a handler of %s', (caught, raise, conditions) => {
    const source = `begin raise exception ${raise}; exception when ${conditions} then null; end`;
    expect(raisesOf(source)[0]).toMatchObject({ isCaught: caught });
    // The handlers of a block within do not catch it, and those of a block around do.
    const within = `begin begin null; exception when others then null; end; raise exception ${raise}; end`;
    expect(raisesOf(within)[0]).toMatchObject({ isCaught: false });
    const around = `begin for r in 1..2 loop if a then case b when 1 then ${source}; else null; end case; end if; end loop;
      exception when others then null; end`;
    expect(raisesOf(around)[0]).toMatchObject({ isCaught: caught || !/query_canceled/.test(raise) });
  });

  it('marks an error as not caught if the handler raises it again', () => {
    const again = 'exception when unique_violation then perform 1; if a then raise; end if; when others then null; end';
    expect(raisesOf(`begin raise unique_violation; ${again}`)[0]).toMatchObject({ isCaught: false });
    expect(raisesOf(`begin raise check_violation; ${again}`)[0]).toMatchObject({ isCaught: true });
    // This RAISE belongs to the handler of the block within, which has caught another error.
    const other = 'exception when others then begin null; exception when others then raise; end; end';
    expect(raisesOf(`begin raise 'x'; ${other}`)[0]).toMatchObject({ isCaught: true });
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
