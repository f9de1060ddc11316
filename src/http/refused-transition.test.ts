import { describe, expect, it } from 'vitest';
import { refusedTransition } from './refused-transition.ts';

const raised = (sqlstate: string, message: string, detail?: string) =>
  refusedTransition({
    ...{ sqlstate, message, severity: 'ERROR', schema: 'public', table: 'tickets', column: 'status' },
    ...(detail !== undefined && { detail }),
  });

describe('refusedTransition', () => {
  it('reads the name of a refused transition, its two states and the row from the error of PostgreSQL', () => {
    const message = 'The transition solve or close, from open to solved, is not open to this caller.';
    const detail = 'The row {"id": 9223372036854775807, "part": "1: \\"2\\""} of tickets stands in the state open.';
    expect(raised('NF001', message, detail)).toEqual({
      ...{ entity: 'public.tickets', field: 'status', transition: 'solve or close', from: 'open', to: 'solved' },
      ...{ key: { id: '9223372036854775807', part: '1: "2"' }, message },
    });
  });

  it.each([
    ['No transition leads from a to b to c, from d.', 'a to b', 'c, from d'],
    ['No transition leads from no state to open.', 'none', 'open'],
    ['No transition leads from none to no state.', 'none', null],
  ])('separates the state before and the state after in “%s”', (message, from, to) => {
    const refused = raised('NF001', message, `The row {"id": 1} of tickets stands in the state ${from}.`);
    expect(refused).toMatchObject({ transition: null, to, from: message.includes('from no state') ? null : from });
  });

  it('reads the transition for which the row lacks a value, also for a table without a primary key', () => {
    const message = 'The transition wait, from open to waiting, needs a value for reason, until.';
    expect(raised('NF003', message, 'The row  of tickets stands in the state open.')).toMatchObject({
      ...{ transition: 'wait', from: 'open', to: 'waiting', key: null },
    });
  });

  it('reads the state in which a new row may not start', () => {
    const message = 'A new row of tickets starts in the state new, not in closed.';
    expect(raised('NF002', message, 'The field is status.')).toMatchObject({ from: null, to: 'closed', key: null });
  });

  it('returns null for an error that no state machine raised', () => {
    expect(raised('NF001', 'No.', 'The row is not yours.')).toBeNull();
    expect(raised('23514', 'No transition leads from a to b.', 'The row {} of t stands in the state a.')).toBeNull();
    expect(refusedTransition({ sqlstate: 'NF001', message: 'No.', severity: 'ERROR' })).toBeNull();
  });
});
