import { describe, expect, it } from 'vitest';
import type { Machine } from '../../../../../contract/states.ts';
import { drawnMachine, machineProblems, machineSql, newTransition, readMachine } from './machine-design.ts';
import { rowEffects } from './row-effects.ts';

const machine: Machine = {
  ...{
    id: 'public.tickets.status',
    entity: 'public.tickets',
    field: 'status',
    initial: 'new',
    enforced: true,
    problems: [],
  },
  states: [
    { name: 'new', final: false, reached: true },
    { name: 'open', final: false, reached: true },
    { name: 'done', final: true, reached: true },
  ],
  transitions: [
    {
      ...{ name: 'take', from: ['new'], to: 'open', roles: ['agent'], when: { sql: "owner = 'it''s'", words: '' } },
      ...{ requires: ['note'], sets: [{ field: 'at', sql: 'now()' }], words: '' },
    },
    { name: 'close', from: null, to: 'done', roles: null, when: null, requires: [], sets: [], words: '' },
  ],
  table: {},
  figures: {
    rows: { new: 12, open: 3, done: 0 },
    median_stay_seconds: {},
    state_changes: [{ from: 'new', to: 'open', transition: 'take', count: 91 }],
  },
};
const design = readMachine(machine);
const [take, close] = design.transitions;
if (!take || !close) throw new Error('the machine has two transitions');

describe('machineSql', () => {
  it('writes the complete machine with its values quoted, and nothing for an unchanged machine', () => {
    expect(machineSql(design, { ...design })).toBe('');
    expect(machineSql(null, design)).toBe(
      `select ninefold.define_machine('public.tickets', 'status', 'new', '[
  {"name":"take","from":"new","to":"open","roles":["agent"],"when":"owner = ''it''''s''","requires":["note"],"sets":{"at":"now()"}},
  {"name":"close","from":"any","to":"done"}
]'::jsonb);`,
    );
    expect(machineSql(design, null)).toBe("select ninefold.drop_machine('public.tickets', 'status');");
  });

  it('moves the rows of a removed state while there is no machine', () => {
    const after = { ...design, states: ['new', 'done'], transitions: [close], moves: { open: 'done' } };
    expect(machineSql(design, after).split('\n').slice(0, 2)).toEqual([
      "select ninefold.drop_machine('public.tickets', 'status');",
      `update public.tickets set "status" = 'done' where "status" = 'open';`,
    ]);
  });
});

describe('machineProblems', () => {
  it.each([
    ['a transition without a name', { transitions: [{ ...take, name: '' }] }, 'A transition to open has no name.'],
    [
      'two transitions with one name',
      { transitions: [take, { ...close, name: 'take' }] },
      'Two transitions are called take.',
    ],
    ['a transition from no state', { transitions: [{ ...take, from: [] }] }, 'take starts in no state.'],
    ['a transition for no role', { transitions: [{ ...take, roles: [] }] }, 'No role may make take.'],
    ['no transition', { transitions: [] }, 'Draw a transition.'],
  ])('reports %s', (_, part, expected) => {
    expect(machineProblems({ ...design, ...part }, null)).toEqual([expected]);
  });

  it('reports a state that the type of the field lacks', () => {
    expect(machineProblems(design, ['new', 'open'])).toEqual([expect.stringContaining('has no value done')]);
  });
});

describe('rowEffects', () => {
  const effectsOf = (part: object) => rowEffects(machine, { ...design, ...part });

  it('says that no row loses its state if all states with rows stay', () => {
    const words = 'No row loses its state. All 2 states with rows stay.';
    expect(effectsOf({})).toEqual([expect.objectContaining({ kind: 'fine', words })]);
  });

  it('names rows whose state is removed until they have somewhere to go', () => {
    const removed = { states: ['new', 'done'], transitions: [close] };
    const [lost] = effectsOf(removed);
    expect(lost).toMatchObject({ kind: 'lost', state: 'open', words: expect.stringContaining('3 rows in open') });
    expect(effectsOf({ ...removed, moves: { open: 'done' } }).map(({ kind }) => kind)).toEqual(['fine']);
  });

  it('counts the rows that lose a way, and offers the transition that keeps it', () => {
    const shut = effectsOf({ transitions: [{ ...take, from: ['done'] }, close] }).find(({ kind }) => kind === 'shut');
    expect(shut?.words).toBe('12 in new can no longer go straight to open; that occurred 91 times in 30 days.');
    expect(shut?.keep).toMatchObject({ name: 'take', from: ['new'], to: 'open', roles: ['agent'] });
  });

  it('names a state that nothing leaves, and one that no transition uses', () => {
    const states = [...design.states, 'offered', 'idle'];
    const transitions = [take, { ...close, from: ['new', 'open'] }, newTransition('new', 'offered')];
    const keys = effectsOf({ states, transitions }).map(({ key }) => key);
    expect(keys).toEqual(expect.arrayContaining(['stuck offered', 'unreached idle']));
  });
});

describe('drawnMachine', () => {
  it('marks final and unreached states of the form, and keeps the counted rows', () => {
    const drawn = drawnMachine({ ...design, states: [...design.states, 'lost'], transitions: [take] }, machine);
    expect(drawn.states.map(({ name, final, reached }) => [name, final, reached])).toEqual([
      ['new', false, true],
      ['open', true, true],
      ['done', true, false],
      ['lost', true, false],
    ]);
    expect(drawn.figures?.rows).toEqual(machine.figures?.rows);
  });
});
