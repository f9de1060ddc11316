import { describe, expect, it } from 'vitest';
import { type States, stateColour } from './state.tsx';

const machine = (...names: string[]): States => ({
  initial: 'new',
  states: names.map((name) => ({ value: name.replace('!', ''), label: name, final: name.endsWith('!') })),
});
const coloursOf = (states: States) => states.states.map(({ value }) => stateColour(states, value));

describe('stateColour', () => {
  it('gives each state that is not final a colour, by the order of the states', () => {
    expect(coloursOf(machine('new', 'open', 'waiting', 'solved', 'closed!'))).toEqual([
      'd-4',
      'd-1',
      'd-2',
      'd-3',
      'd-6',
    ]);
    expect(coloursOf(machine('new', 'draft', 'public!'))).toEqual(['d-4', 'd-1', 'd-6']);
  });

  it('shows the last of four or more states in grey, even if a transition leads back from it', () => {
    expect(coloursOf(machine('new', 'open', 'solved', 'closed'))).toEqual(['d-4', 'd-1', 'd-2', 'd-6']);
    expect(coloursOf(machine('new', 'open', 'closed'))).toEqual(['d-4', 'd-1', 'd-2']);
  });

  it('gives the initial state its colour even if no transition leaves it, and shows unknown values in grey', () => {
    expect(stateColour(machine('new!'), 'new')).toBe('d-4');
    expect(stateColour(machine('new', 'open'), 'lost')).toBe('d-6');
  });
});
