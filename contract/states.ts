import type { NotificationKind } from './notifications.ts';
import type { Source } from './specification-source.ts';

/** Chapter 4 of the specification: state machines. */
export interface StatesChapter {
  /** State machines, sorted by entity and field. */
  machines: Machine[];
  /** State changes of members' accounts, according to the settings; absent in older versions. */
  accounts?: AccountStates;
  /** The rules that send notifications of changed rows to members; absent if there are none. */
  notifications?: NotificationRule[];
  sources: Source[];
}

/** A rule that sends notifications of changed rows to members, set by `ninefold.notify`. */
export interface NotificationRule {
  id: string;
  /** Id of the entity whose changes are followed. */
  entity: string;
  kind: NotificationKind;
  /** The field that decides: the beginning of the appointment, the text with mentions, the member, the reference or the state. */
  field: string;
  /** Id of the entity whose row the notification is about. */
  about: string;
  /** Fields with the ids of the members who get the notification. For a reference, they are fields of `about`. Empty for a mention. */
  tell: string[];
  /** Names of the transitions; null for every change of the state. */
  transitions: string[] | null;
  /** The whole rule in one sentence. */
  words: string;
  /** Reasons why the rule has no effect, in words; empty if there are none. */
  problems: string[];
}

export type AccountState = 'unconfirmed' | 'active' | 'anonymous' | 'banned' | 'deleted';

export interface AccountStates {
  states: { name: AccountState; words: string }[];
  /** The calls that change the state of an account, without those that the settings disable. */
  moves: AccountMove[];
}

export interface AccountMove {
  id: string;
  /** Id of a call in chapter 7. */
  call: string;
  /** State before the call; null if the call creates the account. */
  from: AccountState | null;
  /** State after the call; null if the call deletes the account. */
  to: AccountState | null;
  /** The condition in words; null if the call always changes the state. */
  when: string | null;
}

export interface Machine {
  /** Id of the state machine: the qualified name of its field, such as "public.tickets.status". */
  id: string;
  /** Id of the entity. */
  entity: string;
  field: string;
  /** The state of every new row. */
  initial: string;
  /**
   * The states: first the initial state, then the other states in the order in which transitions reach them, then
   * states that only the field's type has.
   */
  states: MachineState[];
  /**
   * The transitions in the order of their definition. If several transitions connect the same two states, the first one
   * that the caller may use applies.
   */
  transitions: Transition[];
  /** The next state for each state and each transition. */
  table: TransitionTable;
  /** True if the database checks every write. */
  enforced: boolean;
  /** Reasons why parts of the machine have no effect, in words; empty if there are none. */
  problems: string[];
  /** Live figures, not part of the hash. */
  figures?: MachineFigures;
}

export interface MachineState {
  name: string;
  /** True if no transition leads from this state to another. */
  final: boolean;
  /** True for the initial state, and for each state that can be reached from it by transitions. */
  reached: boolean;
}

export interface Transition {
  name: string;
  /** The states in which the transition can start; null if it can start in any state. */
  from: string[] | null;
  to: string;
  /**
   * Roles of members or of the database, one of which the caller must have; null: every caller who may change the row.
   */
  roles: string[] | null;
  /** The condition that the row must satisfy before the change, as SQL and in words; null if there is none. */
  when: { sql: string; words: string } | null;
  /** Fields that must have a value for the transition. */
  requires: string[];
  /** Fields that the transition sets, each with the SQL expression of the new value. */
  sets: { field: string; sql: string }[];
  /**
   * Whether the privileges and policies for UPDATE and SELECT allow the transition, for each role of chapter 6 that the
   * transition admits. Versions of an earlier format lack it.
   */
  access?: TransitionAccess[];
  /** The whole transition in one sentence. */
  words: string;
}

/** Whether the calls of a role may take a transition, by the privileges and policies on the table. */
export interface TransitionAccess {
  /** A role of chapter 6. */
  role: string;
  verdict: 'always' | 'when' | 'never';
  /** The condition in words for `when`, the reason for `never`; otherwise empty. */
  words: string;
}

/** For each state and each transition, the next state; null if the transition cannot start in the state. */
export type TransitionTable<State extends string = string, Name extends string = string> = {
  readonly [From in State]: { readonly [Transition in Name]: State | null };
};

export interface MachineFigures {
  /**
   * Number of rows in each state. Absent if the count took longer than the limit stateFiguresMilliseconds, or is not
   * possible.
   */
  rows?: Readonly<Record<string, number>>;
  /** The median time in seconds that rows stayed in a state which they left in the last 30 days. */
  median_stay_seconds: Readonly<Record<string, number>>;
  /** Number of state changes in the last 30 days. `from` is null for the state of a new row. */
  state_changes: { from: string | null; to: string; transition: string | null; count: number }[];
}
