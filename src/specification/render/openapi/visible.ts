import type { Chapters, ErrorLine, Specification } from '../../../../contract/specification.ts';
import { openEntities } from '../portal/member-entities.ts';
import type { FieldRights } from '../portal/member-fields.ts';

/** The part of a specification that is visible to a role. */
export interface Visible {
  readonly specification: Specification;
  /** The fields that the role may read, insert and update, by the id of the entity. */
  readonly rights: ReadonlyMap<string, FieldRights>;
}

/**
 * Returns the parts of a specification that are visible to a role: the calls that are not always refused for the role, with
 * their entities, fields and errors.
 */
export function visibleTo(specification: Specification, role: string): Visible {
  const { entities, calls, errors, roles, rules } = specification.chapters;
  const open = calls?.calls.filter((call) => call.roles.includes(role)) ?? [];
  const reached = new Set(open.map((call) => call.entity));
  const shown = entities?.entities.filter(({ id }) => reached.has(id)) ?? [];
  const cells = roles?.cells.filter((cell) => cell.role === role) ?? [];
  const rights = new Map([...openEntities(shown, cells)].map(([id, entity]) => [id, entity.rights]));
  const hiddenRules = new Set(
    rules?.rules
      .filter((rule) => rule.fields.some((field) => !knows(rights.get(rule.entity), field)))
      .map(({ id }) => id),
  );
  const isKnown = ({ origin }: ErrorLine) => isReached(origin, reached) && !hiddenRules.has(origin ?? '');
  const chapters: Chapters = {
    ...specification.chapters,
    ...(entities && { entities: { ...entities, entities: shown } }),
    ...(calls && { calls: { ...calls, calls: open } }),
    ...(errors && { errors: { ...errors, errors: errors.errors.filter(isKnown) } }),
  };
  return { specification: { ...specification, chapters }, rights };
}

const knows = (rights: FieldRights | undefined, field: string): boolean =>
  rights !== undefined && (rights.read.has(field) || rights.insert.has(field) || rights.update.has(field));

/**
 * Returns true if a call of the role can raise the error. An error without an origin belongs to the protocols, so every
 * role can get it.
 */
const isReached = (origin: string | null, reached: ReadonlySet<string | null>): boolean =>
  origin === null || reached.has(origin) || [...reached].some((id) => id !== null && origin.startsWith(`${id}.`));
