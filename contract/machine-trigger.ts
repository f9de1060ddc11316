import type { EntityTrigger } from './specification-entities.ts';

/**
 * Returns true if a trigger belongs to a state machine, which chapter 4 describes. Checks the trigger's name and the
 * function that it runs, because an app may give such a name to a trigger of its own.
 */
export const isMachineTrigger = ({ name, sql }: Pick<EntityTrigger, 'name' | 'sql'>): boolean =>
  name.startsWith('zz_ninefold_') && / EXECUTE FUNCTION ninefold\.\w+\(/.test(sql);
