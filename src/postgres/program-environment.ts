/** The whole environment of PostgreSQL's programs: nothing of ours, and messages in English that can be read by a program. */
export const programEnvironment: NodeJS.ProcessEnv = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' };
