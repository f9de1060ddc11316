import { groupBy } from '../../../../../catalog/group.ts';
import { idOf, sqlName } from '../../../../../catalog/names.ts';
import type { RoutineFact } from '../../../../../catalog/routines.ts';
import { documentedRoutines } from '../../documented.ts';
import { type Advice, type AdviceContext, listed } from './advice-context.ts';

/**
 * Advises on functions that set no search_path. The search path of the caller then decides which objects the
 * unqualified names in their code mean.
 */
export function functionsWithoutSearchPath({ facts }: AdviceContext): Advice[] {
  const schemas = new Set(facts.schemas.map((schema) => schema.name));
  return documentedRoutines(facts)
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
        severity: routine.security_definer ? 'security' : 'unused',
        on: id,
        words,
        sql: `alter ${routine.kind === 'p' ? 'procedure' : 'function'} ${id} set search_path = ${[...path.map(sqlName), 'pg_temp'].join(', ')};`,
      };
    });
}

/** Advises on functions that calls run with the privileges of a superuser. */
export function functionsAsSuperuser({ facts, access, cells }: AdviceContext): Advice[] {
  const { membership } = access.privileges;
  const owner = membership.role(facts.database.owner)?.name ?? 'pg_database_owner';
  const callers = groupBy(
    cells.filter(({ operation, verdict }) => operation === 'execute' && verdict !== 'never'),
    ({ entity }) => entity,
  );
  return documentedRoutines(facts).flatMap((routine): Advice[] => {
    const id = idOf(routine);
    const who = (callers.get(id) ?? []).map(({ role }) => role);
    if (who.length === 0 || !routine.security_definer || !membership.role(routine.owner)?.superuser) return [];
    return [
      {
        about: 'function as a superuser',
        severity: 'security',
        on: id,
        words: `The function is SECURITY DEFINER and belongs to a superuser: ${listed(who)} may call it, and it runs with all rights, past every grant and every policy, over the whole server. Given to the app’s owner it runs with the owner’s rights, which may not do all that it does now. Only a superuser can run the SQL.`,
        sql: `alter function ${id} owner to ${sqlName(owner)};`,
      },
    ];
  });
}

const isOpen = ({ kind, language, bound, settings }: RoutineFact): boolean =>
  (kind === 'f' || kind === 'p') &&
  !settings.some((each) => each.startsWith('search_path=')) &&
  !bound &&
  language !== 'internal' &&
  language !== 'c';
