import type { Machine, StatesChapter, Transition } from '../../../../contract/states.ts';

const parts: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
];

/**
 * Formats a duration in its two largest units, for example "4 d 2 h" or "3 h 40 min". Durations below one hour and
 * durations of ten days or more have only one unit: "22 min", "8 s", "12 d".
 */
export function span(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const at = parts.findIndex(([size]) => whole >= size);
  const [size, unit] = parts[at] ?? [1, 's'];
  const many = Math.floor(whole / size);
  const next = parts[at + 1];
  const rest = next ? Math.floor((whole % size) / next[0]) : 0;
  return !next || rest === 0 || unit === 'min' || (unit === 'd' && many >= 10)
    ? `${many} ${unit}`
    : `${many} ${unit} ${rest} ${next[1]}`;
}

/** A transition as drawn from one of its source states. A transition with several source states has one edge for each of them. */
export interface TransitionEdge {
  id: string;
  from: string;
  to: string;
  transition: Transition;
  /** Number of state changes in 30 days; null if it is unknown. */
  stateChanges: number | null;
}

/** Returns the name of an edge in the address bar and for screen readers: "solve from open". */
export const wayId = (transition: string, from: string): string => `${transition} from ${from}`;

/** Returns every edge of a machine, in the order of its transitions. Pure. */
export const transitionEdges = ({ states, transitions, table, figures }: Machine): TransitionEdge[] =>
  transitions.flatMap((transition) =>
    states.flatMap(({ name: from }) => {
      const to = table[from]?.[transition.name] ?? null;
      if (to === null) return [];
      const passed = figures?.state_changes.find(
        (one) => one.from === from && one.to === to && one.transition === transition.name,
      );
      return [
        {
          id: wayId(transition.name, from),
          from,
          to,
          transition,
          stateChanges: figures ? (passed?.count ?? 0) : null,
        },
      ];
    }),
  );

/**
 * Returns the state changes of the last 30 days that no edge of the machine explains. They occurred under another
 * machine, or while the machine was disabled.
 */
export const unexplainedChanges = (machine: Machine): { from: string; to: string; count: number }[] => {
  const ways = transitionEdges(machine);
  return (machine.figures?.state_changes ?? []).flatMap(({ from, to, transition, count }) =>
    from === null || ways.some((way) => way.from === from && way.to === to && way.transition.name === transition)
      ? []
      : [{ from, to, count }],
  );
};

/** Counts the pairs of different states, and the pairs that a transition connects. */
export function pairsOf(machine: Machine): { all: number; allowed: number } {
  const many = machine.states.length;
  return {
    all: many * (many - 1),
    allowed: new Set(transitionEdges(machine).map(({ from, to }) => JSON.stringify([from, to]))).size,
  };
}

/** Counts the rows in all states of a machine; null if they were not counted. */
export const rowsOf = ({ figures }: Machine): number | null =>
  figures?.rows ? Object.values(figures.rows).reduce((sum, rows) => sum + rows, 0) : null;

/** Counts the state changes of the last 30 days. Inserted rows are not state changes. */
export const stateChangesOf = ({ figures }: Machine): number | null =>
  figures ? figures.state_changes.reduce((sum, { from, count }) => sum + (from === null ? 0 : count), 0) : null;

/** Adds a figure of all machines. Machines without the figure are ignored; the sum is null if no machine has the figure. */
export function sumOf(chapter: StatesChapter, of: (machine: Machine) => number | null): number | null {
  const known = chapter.machines.map(of).filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

/** Returns the description of a transition as a sentence without its name: "take: agent may …" → "Agent may …." */
export function sentenceOf({ name, words }: Pick<Transition, 'name' | 'words'>): string {
  const said = words.startsWith(`${name}: `) ? words.slice(name.length + 2) : words;
  return `${said[0]?.toUpperCase() ?? ''}${said.slice(1)}.`;
}
