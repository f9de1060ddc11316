import type { Chapters, Specification } from '../../../contract/specification.ts';

/**
 * Returns the parts of a specification that a role may know: the calls that are not always refused for the role, with
 * their entities and errors.
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

/**
 * Returns true if the role may know an error: an error of the protocols, or an error of an entity or a function that
 * the role reaches.
 */
const isReached = (origin: string | null, reached: ReadonlySet<string | null>): boolean =>
  origin === null || reached.has(origin) || [...reached].some((id) => id !== null && origin.startsWith(`${id}.`));
