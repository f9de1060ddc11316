import { memoize } from '../catalog/memoize.ts';

/** Placeholder for a setting whose name is also passed as a parameter. */
export const NAMED = '*';

/**
 * Returns the SQL that sets these settings in this order. The SQL is cached, because only a few lists of settings
 * occur.
 */
export const setupText = memoize((names) => {
  let count = 0;
  const next = (): string => {
    count += 1;
    return `$${count}`;
  };
  const calls = names.split(' ').map((name) => {
    const nameText = name === NAMED ? next() : `'${name}'`;
    return `pg_catalog.set_config(${nameText}, ${next()}, true)`;
  });
  return `SELECT ${calls.join(', ')}`;
});
