import type { RoutineFact } from '../../catalog/routines.ts';
import { sqlName } from '../names.ts';
import { idOf, toldRoutines } from '../routines.ts';
import type { Advice, Ground } from './ground.ts';

/** Functions in which an unqualified name means whatever the caller's search path says. */
export function functionsWithoutSearchPath({ facts }: Ground): Advice[] {
  const schemas = new Set(facts.schemas.map((schema) => schema.name));
  return toldRoutines(facts)
    .filter(isOpen)
    .map((routine) => {
      const id = idOf(routine);
      const path = [routine.schema, 'public', 'extensions'].filter(
        (name, i, all) => schemas.has(name) && all.indexOf(name) === i,
      );
      const words = routine.security_definer
        ? 'The function runs with the rights of its owner and sets no search_path: whoever calls it chooses what its unqualified names mean, and so what runs with those rights.'
        : 'The function sets no search_path: its unqualified names mean something else where it is called with another one.';
      return {
        about: 'function without search_path',
        weight: routine.security_definer ? 'risk' : 'idle',
        on: id,
        words,
        sql: `alter ${routine.kind === 'p' ? 'procedure' : 'function'} ${id} set search_path = ${[...path.map(sqlName), 'pg_temp'].join(', ')};`,
      };
    });
}

const isOpen = ({ kind, language, bound, settings }: RoutineFact): boolean =>
  (kind === 'f' || kind === 'p') &&
  !settings.some((each) => each.startsWith('search_path=')) &&
  !bound &&
  language !== 'internal' &&
  language !== 'c';
