/** The search path with which an app's database is created, in SQL and in PostgreSQL's output. */
export const appSearchPath = '"$user", public, extensions';
