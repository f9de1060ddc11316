import { createHash } from 'node:crypto';
import type { Chapters } from '../../contract/specification.ts';

/**
 * What the chapters say, without the parts that change while the app stays the same: live figures. This is what is hashed, compared,
 * kept as a version and exported as JSON.
 */
export function stableContent({
  purpose,
  screens,
  entities,
  states,
  rules,
  roles,
  calls,
  errors,
  limits,
}: Chapters): object {
  return {
    purpose: purpose && withoutFigures(purpose),
    screens,
    entities: entities && { ...entities, entities: entities.entities.map(withoutFigures) },
    states: states && { ...states, machines: states.machines.map(withoutFigures) },
    rules,
    roles: roles && { ...roles, roles: roles.roles.map(withoutFigures) },
    calls: calls && { ...calls, calls: calls.calls.map(withoutFigures), jobs: calls.jobs?.map(withoutFigures) },
    errors: errors && { ...errors, errors: errors.errors.map(withoutFigures) },
    limits: limits && { ...limits, limits: limits.limits.map(withoutFigures) },
  };
}

const withoutFigures = <Item extends { figures?: unknown }>({ figures: _, ...item }: Item): Omit<Item, 'figures'> =>
  item;

/** SHA-256, hex, of the lasting part of a specification. */
export const contentHash = (lastingPart: object): string =>
  createHash('sha256').update(JSON.stringify(lastingPart)).digest('hex');
