import { describe, expect, it } from 'vitest';
import { type States, stateColour } from './state.tsx';

const machine = (...names: string[]): States => ({
  initial: 'new',
  states: names.map((name) => ({ value: name.replace('!', ''), label: name, final: name.endsWith('!') })),
});
const coloursOf = (states: States) => states.states.map(({ value }) => stateColour(states, value));

describe('stateColour', () => {
  it('gives each state that is not final its own colour, in the order of the states', () => {
    expect(coloursOf(machine('new', 'open', 'waiting', 'solved', 'closed!'))).toEqual([
      'd-4',
      'd-1',
      'd-2',
      'd-3',
      'd-6',
    ]);
    expect(coloursOf(machine('new', 'draft', 'public!'))).toEqual(['d-4', 'd-1', 'd-6']);
  });

  it('shows the last of four or more states grey, even if a transition leads back', () => {
    expect(coloursOf(machine('new', 'open', 'solved', 'closed'))).toEqual(['d-4', 'd-1', 'd-2', 'd-6']);
    expect(coloursOf(machine('new', 'open', 'closed'))).toEqual(['d-4', 'd-1', 'd-2']);
  });

  it('keeps the colour of an initial state without a transition, and shows unknown values grey', () => {
    expect(stateColour(machine('new!'), 'new')).toBe('d-4');
    expect(stateColour(machine('new', 'open'), 'lost')).toBe('d-6');
  });
});
