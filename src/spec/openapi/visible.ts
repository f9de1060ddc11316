import type { Chapters, Specification } from '../../../contract/specification.ts';

/**
 * What of a specification a role may know by calling: the calls that are not refused to it always, and the entities and the errors
 * behind them.
 */
export function visibleTo(specification: Specification, role: string): Specification {
  const { entities, calls, errors } = specification.chapters;
  const open = calls?.calls.filter((call) => call.roles.includes(role)) ?? [];
  const reached = new Set(open.map((call) => call.entity));
  const chapters: Chapters = {
    ...specification.chapters,
    ...(entities && { entities: { ...entities, entities: entities.entities.filter(({ id }) => reached.has(id)) } }),
    ...(calls && { calls: { ...calls, calls: open } }),
    ...(errors && { errors: { ...errors, errors: errors.errors.filter(({ origin }) => isReached(origin, reached)) } }),
  };
  return { ...specification, chapters };
}

/** Errors of the protocols are everybody's; those of the app go with what they come from. */
const isReached = (origin: string | null, reached: ReadonlySet<string | null>): boolean =>
  origin === null || reached.has(origin) || [...reached].some((id) => id !== null && origin.startsWith(`${id}.`));
