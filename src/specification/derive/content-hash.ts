import { createHash } from 'node:crypto';
import type { Chapters } from '../../../contract/specification.ts';

/**
 * Returns the chapters without live figures. Figures change although the app's behaviour does not. This content is
 * hashed, compared, stored as a version and exported as JSON.
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

/** Returns the SHA-256, in hexadecimal, of the stable content of a specification as JSON, which is given in parts. */
export function contentHash(json: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of json) hash.update(part);
  return hash.digest('hex');
}
