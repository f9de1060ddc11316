import type { RoutineFact } from '../catalog/routines.ts';
import { idOf } from './names.ts';

/**
 * Which calls of a function are refused because another one of its name takes them, too (PostgREST docs, "Overloaded functions";
 * PGRST203): one sentence for each such function; none where every call finds it. Functions are told from one another by the names of
 * the arguments that are given, never by their types, and whoever may execute them.
 *
 * @param overloads the functions of its schema and name that calls can reach, this one among them
 */
export function refusedCalls(routine: RoutineFact, overloads: readonly RoutineFact[]): string[] {
  return overloads
    .filter((other) => other !== routine)
    .flatMap((other) => {
      const way = apart(routine, other);
      if (way === null) return [];
      const taken = `${idOf(other)} takes ${way.length === 0 ? 'whatever it takes' : 'the rest'}, too (PGRST203).`;
      return [way.length === 0 ? `Never answered: ${taken}` : `Refused unless ${way.join(', or ')}: ${taken}`];
    });
}

/** What tells calls of a function from those of another one: nothing where all are taken for both; null where none is. */
function apart(one: RoutineFact, other: RoutineFact): string[] | null {
  const [body, otherBody] = [bodyKind(one), bodyKind(other)];
  if (body !== null || otherBody !== null) return body === otherBody ? [] : null;
  const [names, otherNames] = [namesOf(one), namesOf(other)];
  const [must, otherMust] = [mustOf(one), mustOf(other)];
  if (must.some((name) => !otherNames.includes(name)) || otherMust.some((name) => !names.includes(name))) return null;
  const more = names.filter((name) => !otherNames.includes(name));
  const fewer = otherMust.filter((name) => !must.includes(name));
  return [...more.map((name) => `${name} is given`), ...fewer.map((name) => `${name} is left out`)];
}

/** What a single argument without a name takes as the whole body; null of functions with others, whose names are asked first. */
function bodyKind({ inputs: [only, ...more] }: RoutineFact): string | null {
  if (!only || more.length > 0 || only.name !== '') return null;
  return only.type === 'jsonb' ? 'json' : only.type;
}

const namesOf = ({ inputs }: RoutineFact): string[] => inputs.map(({ name }) => name);
const mustOf = ({ inputs }: RoutineFact): string[] =>
  inputs.filter(({ mode, has_default }) => !has_default || mode === 'v').map(({ name }) => name);
