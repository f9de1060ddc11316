import { entries, told } from './entry.ts';

/**
 * The errors of an app's state machines, raised by their triggers and by `ninefold.define_machine`: SQLSTATEs of a class that
 * PostgreSQL leaves free, the same over `/rest/v1` and in SQL.
 */
export const stateErrors = entries({
  NF001: {
    source: 'ninefold',
    status: 409,
    message: 'The transition is not open to this caller.',
    meaning:
      'The write would take a row to a state that no transition leads to from where it stands, or one that is not open to this caller: its roles or its condition say no. The message names both states, the hint the transitions that are open.',
    action: 'Read the row again, and offer what its computed field transitions holds.',
    member: 'This is not possible in the current state. Please reload and see what is.',
  },
  NF002: {
    source: 'ninefold',
    status: 409,
    message: 'A new row starts in the initial state.',
    meaning: 'A row was inserted in another state than the one in which rows start; only the app’s owner may do that.',
    action: 'Leave the field out, and take transitions from there.',
    member: told.fault,
  },
  NF003: {
    source: 'ninefold',
    status: 409,
    message: 'The transition needs a value for a field.',
    meaning: 'A transition requires fields to have a value, and one of them has none; the message names them.',
    action: 'Send the fields together with the new state, or before.',
    member: 'Something that is needed was left empty.',
  },
  NF004: {
    source: 'ninefold',
    status: 409,
    message: 'Rows stand in states that the machine does not have.',
    meaning:
      'A state machine was to be defined without states in which rows stand; the message counts them. Nothing was changed.',
    action: 'Move the rows first, or keep these states.',
    member: null,
  },
  NF005: {
    source: 'ninefold',
    status: 500,
    message: 'The state machine is broken.',
    meaning: 'What a state machine was compiled to is gone, while its triggers are still there. Nothing was written.',
    action: 'Define the machine again, or drop it with ninefold.drop_machine.',
    member: told.fault,
  },
});
