import { idOf } from '../catalog/names.ts';
import type { RoutineFact } from '../catalog/routines.ts';

/**
 * A function that accepts some of the calls of a function with the same name. `ways` lists the arguments by which a
 * call selects the original function instead of `other`. If `ways` is empty, `other` accepts every call of the original
 * function.
 */
export interface Overlap {
  other: RoutineFact;
  ways: readonly Way[];
}

/** An argument that a call must give or omit. An empty name stands for the whole body. */
interface Way {
  name: string;
  isGiven: boolean;
}

/**
 * Returns the functions of the same name that make some calls of a function ambiguous, which the server refuses
 * (PostgREST docs, "Overloaded functions"; PGRST203). Calls select a function only by the names of the given arguments.
 * Types and privileges do not matter.
 *
 * @param overloads The callable functions of the same schema and name, including `routine`.
 */
export const overlapsOf = (routine: RoutineFact, overloads: readonly RoutineFact[]): Overlap[] =>
  overloads
    .filter((other) => other !== routine)
    .flatMap((other) => {
      const ways = apart(routine, other);
      return ways === null ? [] : [{ other, ways }];
    });

/** Returns a sentence for each overlap. */
export const refusedCalls = (overlaps: readonly Overlap[]): string[] =>
  overlaps.map((overlap) => {
    const start =
      overlap.ways.length === 0 ? 'Never answered' : `Refused unless ${overlap.ways.map(said).join(', or ')}`;
    return `${start}: ${alsoTaken(overlap)}.`;
  });

/** Returns the reason why the calls are refused, as the end of a sentence. */
export const alsoTaken = ({ other, ways }: Overlap): string =>
  `${idOf(other)} takes ${ways.length === 0 ? 'whatever it takes' : 'the rest'}, too (PGRST203)`;

/** Returns the condition under which the overlap does not make a call ambiguous, for example `with tip given`. */
export const waysAround = ({ ways }: Overlap): string =>
  ways.map(({ name, isGiven }) => (isGiven ? `with ${named(name)} given` : `without ${named(name)}`)).join(' or ');

/**
 * Returns true if some call selects the function without any overlap.
 * @param settled The arguments that every call must give (true) or omit (false).
 */
export function isReached(overlaps: readonly Overlap[], settled: ReadonlyMap<string, boolean>): boolean {
  const [first, ...more] = overlaps;
  if (first === undefined) return true;
  return first.ways.some(
    ({ name, isGiven }) =>
      (settled.get(name) ?? isGiven) === isGiven && isReached(more, new Map([...settled, [name, isGiven]])),
  );
}

/**
 * Returns the arguments that distinguish calls of `one` from calls of `other`. Returns an empty list if every call of
 * `one` also matches `other`, and null if no call does.
 */
function apart(one: RoutineFact, other: RoutineFact): Way[] | null {
  const [body, otherBody] = [bodyKind(one), bodyKind(other)];
  const [names, otherNames] = [namesOf(one), namesOf(other)];
  const [must, otherMust] = [mustOf(one), mustOf(other)];
  // Both functions accept the same bodies. So only a call without a body distinguishes them, if `one` needs no
  // argument and `other` needs one.
  if (body !== null && body === otherBody) {
    return must.length === 0 && otherMust.length > 0 ? [{ name: '', isGiven: false }] : [];
  }
  if (body !== null && otherBody !== null && must.length + otherMust.length > 0) return null;
  if (must.some((name) => !otherNames.includes(name)) || otherMust.some((name) => !names.includes(name))) return null;
  // A body of text or bytes names no arguments. So PostgREST also passes it to a function without required arguments,
  // and giving a body does not select `one`.
  const isSelecting = body === 'json' || otherNames.length === 0;
  const more = names.filter((name) => (name === '' ? isSelecting : !otherNames.includes(name)));
  const fewer = otherMust.filter((name) => !must.includes(name));
  return [...more.map((name) => ({ name, isGiven: true })), ...fewer.map((name) => ({ name, isGiven: false }))];
}

/**
 * Returns the type of the whole body that a single unnamed argument receives; null for other functions, which are
 * selected by argument names.
 */
function bodyKind({ inputs: [only, ...more] }: RoutineFact): string | null {
  if (!only || more.length > 0 || only.name !== '') return null;
  return only.type === 'jsonb' ? 'json' : only.type;
}

const named = (name: string): string => (name === '' ? 'a body' : name);
const said = ({ name, isGiven }: Way): string => `${named(name)} is ${isGiven ? 'given' : 'left out'}`;

const namesOf = ({ inputs }: RoutineFact): string[] => inputs.map(({ name }) => name);
const mustOf = ({ inputs }: RoutineFact): string[] =>
  inputs.filter(({ has_default }) => !has_default).map(({ name }) => name);
