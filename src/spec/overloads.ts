import type { RoutineFact } from '../catalog/routines.ts';
import { idOf } from './names.ts';

/** What tells calls of a function from those of another one of its name, which takes the rest, too: one of `ways`; none tells them apart where there is none. */
export interface Overlap {
  other: RoutineFact;
  ways: readonly Way[];
}

/** An argument that is given, or left out; the whole body where it has no name. */
interface Way {
  name: string;
  isGiven: boolean;
}

/**
 * Which calls of a function are refused because another one of its name takes them, too (PostgREST docs, "Overloaded functions";
 * PGRST203); none where every call finds it. Functions are told from one another by the names of the arguments that are given, never
 * by their types, and whoever may execute them.
 *
 * @param overloads the functions of its schema and name that calls find, this one among them
 */
export const overlapsOf = (routine: RoutineFact, overloads: readonly RoutineFact[]): Overlap[] =>
  overloads
    .filter((other) => other !== routine)
    .flatMap((other) => {
      const ways = apart(routine, other);
      return ways === null ? [] : [{ other, ways }];
    });

/** Each of them as a sentence. */
export const refusedCalls = (overlaps: readonly Overlap[]): string[] =>
  overlaps.map((overlap) => {
    const start =
      overlap.ways.length === 0 ? 'Never answered' : `Refused unless ${overlap.ways.map(said).join(', or ')}`;
    return `${start}: ${alsoTaken(overlap)}.`;
  });

/** Why those calls are refused, as the end of a sentence. */
export const alsoTaken = ({ other, ways }: Overlap): string =>
  `${idOf(other)} takes ${ways.length === 0 ? 'whatever it takes' : 'the rest'}, too (PGRST203)`;

/** What a call must be like that none of them refuses, `with tip given`; where one way to make it is left. */
export const waysAround = ({ ways }: Overlap): string =>
  ways.map(({ name, isGiven }) => (isGiven ? `with ${named(name)} given` : `without ${named(name)}`)).join(' or ');

/** Whether there is a call that none of them refuses. `settled`: what every call gives, or leaves out, anyway. */
export function isReached(overlaps: readonly Overlap[], settled: ReadonlyMap<string, boolean>): boolean {
  const [first, ...more] = overlaps;
  if (first === undefined) return true;
  return first.ways.some(
    ({ name, isGiven }) =>
      (settled.get(name) ?? isGiven) === isGiven && isReached(more, new Map([...settled, [name, isGiven]])),
  );
}

/** Nothing where all calls are taken for both functions; null where none is. */
function apart(one: RoutineFact, other: RoutineFact): Way[] | null {
  const [body, otherBody] = [bodyKind(one), bodyKind(other)];
  const [names, otherNames] = [namesOf(one), namesOf(other)];
  const [must, otherMust] = [mustOf(one), mustOf(other)];
  // Both would have the same body; without one, only those are found that can do without.
  if (body !== null && body === otherBody) {
    return must.length === 0 && otherMust.length > 0 ? [{ name: '', isGiven: false }] : [];
  }
  if (body !== null && otherBody !== null && must.length + otherMust.length > 0) return null;
  if (must.some((name) => !otherNames.includes(name)) || otherMust.some((name) => !names.includes(name))) return null;
  // Text and bytes have no names in them: what can do without any is found by them.
  const isTold = body === 'json' || otherNames.length === 0;
  const more = names.filter((name) => (name === '' ? isTold : !otherNames.includes(name)));
  const fewer = otherMust.filter((name) => !must.includes(name));
  return [...more.map((name) => ({ name, isGiven: true })), ...fewer.map((name) => ({ name, isGiven: false }))];
}

/** What a single argument without a name takes as the whole body; null of functions with others, whose names are asked first. */
function bodyKind({ inputs: [only, ...more] }: RoutineFact): string | null {
  if (!only || more.length > 0 || only.name !== '') return null;
  return only.type === 'jsonb' ? 'json' : only.type;
}

const named = (name: string): string => (name === '' ? 'a body' : name);
const said = ({ name, isGiven }: Way): string => `${named(name)} is ${isGiven ? 'given' : 'left out'}`;

const namesOf = ({ inputs }: RoutineFact): string[] => inputs.map(({ name }) => name);
const mustOf = ({ inputs }: RoutineFact): string[] =>
  inputs.filter(({ has_default }) => !has_default).map(({ name }) => name);
