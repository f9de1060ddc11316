/** The search path that an app's database is created with, as SQL and as PostgreSQL prints it. */
export const appSearchPath = '"$user", public, extensions';
