/**
 * The complete environment of PostgreSQL's programs. It has no variables of Ninefold, and messages are in English so
 * that programs can parse them.
 */
export const programEnvironment: NodeJS.ProcessEnv = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };
