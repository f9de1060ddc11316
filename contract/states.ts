import type { Source } from './specification-source.ts';

/** Chapter 4. */
export interface StatesChapter {
  /** By entity and field. */
  machines: Machine[];
  /** Of the accounts of members, as the settings leave them; absent in earlier versions. */
  accounts?: AccountStates;
  sources: Source[];
}

export type AccountState = 'unconfirmed' | 'active' | 'anonymous' | 'banned' | 'deleted';

export interface AccountStates {
  states: { name: AccountState; words: string }[];
  /** The calls that move an account; those that the settings switch off are left out. */
  moves: AccountMove[];
}

export interface AccountMove {
  id: string;
  /** Id of a call in chapter 7. */
  call: string;
  /** Null: there is no account. */
  from: AccountState | null;
  /** Null: there is no account any more. */
  to: AccountState | null;
  /** Under which condition; null: always. */
  when: string | null;
}

export interface Machine {
  /** "public.tickets.status". */
  id: string;
  /** Id of the entity. */
  entity: string;
  field: string;
  /** Where every new row starts. */
  initial: string;
  /** The initial one first, then in the order in which transitions reach them, then those that only the field's type has. */
  states: MachineState[];
  /** In the order of definition: of several between the same states, the first that is open counts. */
  transitions: Transition[];
  /** Each state × each transition. */
  table: TransitionTable;
  /** Each write is held to it. */
  enforced: boolean;
  /** What of it is not in force or has lost its ground, in words; empty where nothing is. */
  problems: string[];
  /** Live figures, not part of the hash. */
  figures?: MachineFigures;
}

export interface MachineState {
  name: string;
  /** No transition leads away. */
  final: boolean;
  /** It is the initial one, or a transition leads to it from a state that is reached. */
  reached: boolean;
}

export interface Transition {
  name: string;
  /** Null: from any state. */
  from: string[] | null;
  to: string;
  /** Roles of members or of the database, one of which the caller has; null: whoever may change the row. */
  roles: string[] | null;
  /** What must be true of the row as it stands: the SQL, and in words. */
  when: { sql: string; words: string } | null;
  /** Fields that must have a value. */
  requires: string[];
  /** Fields that it sets, each to an SQL expression. */
  sets: { field: string; sql: string }[];
  /** The whole in one sentence. */
  words: string;
}

/** Complete: every state has every transition. The state that it leads to; null where it does not lead from there. */
export type TransitionTable<State extends string = string, Name extends string = string> = {
  readonly [From in State]: { readonly [Transition in Name]: State | null };
};

export interface MachineFigures {
  /** Rows in each state, now. Absent where the count took longer than the limit stateFiguresMilliseconds, or cannot be made. */
  rows?: Readonly<Record<string, number>>;
  /** How long rows stayed in a state that they left in the last 30 days: the median in seconds. */
  stay_seconds: Readonly<Record<string, number>>;
  /** How often rows went each way in the last 30 days; `from` null: made there. */
  passages: { from: string | null; to: string; transition: string | null; count: number }[];
}
