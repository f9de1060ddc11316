import { entries, memberTexts } from './entry.ts';

/**
 * The errors of an app's state machines, which their triggers and `ninefold.define_machine` raise. Their SQLSTATEs are
 * in a class that PostgreSQL does not use. Clients of `/rest/v1` and of SQL get the same codes.
 */
export const stateErrors = entries('ninefold', {
  NF001: {
    status: 409,
    message: 'The transition is not open to this caller.',
    meaning:
      'No transition leads from the state of the row to the new state, or the roles or the condition of the transition exclude this caller. The message names both states, and the hint names the possible transitions.',
    action: 'Read the row again, and offer the transitions of its computed field transitions.',
    member: 'This is not possible in the current state. Please reload and see what is.',
  },
  NF002: {
    status: 409,
    message: 'A new row starts in the initial state.',
    meaning: 'A row was inserted in a state other than the initial one. Only the app’s owner may do that.',
    action: 'Leave the field out, and change the state with transitions.',
    member: memberTexts.fault,
  },
  NF003: {
    status: 409,
    message: 'The transition needs a value for a field.',
    meaning: 'A transition requires fields to have a value, and one of them has none; the message names them.',
    action: 'Send the fields together with the new state, or before.',
    member: 'Something that is needed was left empty.',
  },
  NF004: {
    status: 409,
    message: 'Rows stand in states that the machine does not have.',
    meaning:
      'The new definition of a state machine lacks states that rows have; the message gives their number. Nothing was changed.',
    action: 'Move the rows first, or keep these states.',
    member: null,
  },
  NF005: {
    status: 500,
    message: 'The state machine is broken.',
    meaning: 'The functions of a state machine are missing, although its triggers still exist. Nothing was written.',
    action: 'Define the machine again, or drop it with ninefold.drop_machine.',
    member: memberTexts.fault,
  },
});
