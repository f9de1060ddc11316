import type { EntityTrigger } from './specification-entities.ts';

/**
 * Whether a trigger is a state machine's, which chapter 4 tells: by its name and by the function that it runs, since an app may give
 * such a name to a trigger of its own.
 */
export const isMachineTrigger = ({ name, sql }: Pick<EntityTrigger, 'name' | 'sql'>): boolean =>
  name.startsWith('zz_ninefold_') && / EXECUTE FUNCTION ninefold\.\w+\(/.test(sql);
