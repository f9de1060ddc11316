import { afterAll, beforeAll } from 'vitest';
import { startPostgres, type TestPostgres } from './postgres.ts';
import { makeRestApp, type RestApp, type RestResponse } from './rest-app.ts';
import { filmLibrary } from './rest-fixture.ts';

/** The data API of an app with a film library. The tests of a file only read from it. */
export interface FilmApp extends Pick<RestApp, 'call' | 'with' | 'script'> {
  get(path: string, headers?: Record<string, string>): Promise<RestResponse>;
}

/** Starts the data API of the film library on a PostgreSQL of its own, for the tests of the calling file. */
export function filmApp(name: string): FilmApp {
  let postgres: TestPostgres;
  let app: RestApp;
  beforeAll(async () => {
    postgres = await startPostgres(name);
    app = await makeRestApp(postgres.url, filmLibrary);
  });
  afterAll(async () => {
    await app?.close();
    await postgres?.stop();
  });
  return {
    call: (...call) => app.call(...call),
    with: (settings) => app.with(settings),
    script: (sql) => app.script(sql),
    get: (path, headers = {}) => app.call('GET', path, { headers }),
  };
}
