import { describe, expect, it } from 'vitest';
import type { RoutineFact } from '../catalog/routines.ts';
import type { CommonFacts } from './fact-indexes.ts';
import { FunctionCode } from './function-code.ts';

/** Returns the errors that a call of `public.first` returns, of functions with these bodies in PL/pgSQL. */
function errorsOf(bodies: Record<string, string>): (string | null)[] {
  const routines = Object.entries(bodies).map(
    ([name, body]) =>
      ({ schema: 'public', name, inputs: [], arguments: '', language: 'plpgsql', body }) as unknown as RoutineFact,
  );
  const code = new FunctionCode({ routines, exposedSchemas: ['public'] } as unknown as CommonFacts);
  return code.raises(routines[0] as RoutineFact).map(({ message }) => message);
}

const inner = `begin if amount > 0 then raise exception 'inner' using errcode = 'HD001'; end if; end`;

describe('FunctionCode', () => {
  it.each<[string, string, string[]]>([
    ['passes on the errors of a called function', 'begin perform inner_one(); end', ['inner']],
    ['leaves out an error that OTHERS catches', 'begin perform inner_one(); exception when others then null; end', []],
    [
      'leaves out an error that its SQLSTATE catches',
      `begin begin perform inner_one(); exception when sqlstate 'HD001' then null; end; raise 'own'; end`,
      ['own'],
    ],
    [
      'passes on an error that the handlers do not name',
      'begin perform inner_one(); exception when unique_violation then null; end',
      ['inner'],
    ],
    [
      'passes on an error that the handler raises again',
      'begin perform inner_one(); exception when others then perform 1; raise; end',
      ['inner'],
    ],
    [
      'passes on an error of a second call outside of the block',
      'begin begin perform inner_one(); exception when others then null; end; perform inner_one(); end',
      ['inner'],
    ],
    [
      'passes on the errors of a function that constant SQL calls',
      `begin execute 'select inner_one()'; end`,
      ['inner'],
    ],
    ['leaves out an error that a function between them catches', 'begin perform catches(); end', []],
    ['ends if functions call one another', 'begin perform first(); perform inner_one(); end', ['inner']],
  ])('%s', (_what, first, errors) => {
    const catches = 'begin perform public.inner_one(); exception when others then null; end';
    expect(errorsOf({ first, inner_one: inner, catches })).toEqual(errors);
  });

  it('names no arguments of a called function in the condition of its errors', () => {
    const routine = (name: string, body: string) =>
      ({ schema: 'public', name, inputs: [], arguments: '', language: 'plpgsql', body }) as unknown as RoutineFact;
    const routines = [routine('first', 'begin perform inner_one(); end'), routine('inner_one', inner)] as const;
    const code = new FunctionCode({ routines, exposedSchemas: [] } as unknown as CommonFacts);
    expect(code.raises(routines[0]).map(({ condition }) => condition)).toEqual([null]);
    expect(code.raises(routines[1]).map(({ condition }) => condition)).toEqual(['amount > 0']);
  });
});
