import { expect, it } from 'vitest';
import { startAppDatabase } from '../../../test/support/app-database.ts';
import { type CallEvent, Events } from '../../observe/events.ts';
import type { App } from '../app.ts';
import type { Apps } from '../apps.ts';
import { BackgroundTurns, Traffic } from '../maintenance/background-turns.ts';
import { ErrorStatistics, readErrorStatistics } from './error-statistics.ts';

const turns = new BackgroundTurns(new Traffic());

it('ErrorStatistics stores the caller of the latest error, even if a worker with an earlier error writes its counts later', async () => {
  const { as, stop } = await startAppDatabase('incidents');
  try {
    const app = { ref: 'shop', serverDatabase: as('app_server') } as unknown as App;
    const apps = { find: async () => app } as unknown as Apps;
    const now = Date.now();
    const bucketStart = now - (now % 600_000);
    const worker = (userId: string, requestId: string, after: number): ErrorStatistics => {
      const events = new Events();
      const errorStatistics = new ErrorStatistics(apps, events);
      errorStatistics.start(turns);
      const call = { type: 'call', app: 'shop', code: '23505', subject: null, limit: null, userId, requestId };
      events.emit({ ...call, trace: { at: bucketStart + after } } as unknown as CallEvent);
      return errorStatistics;
    };
    const [early, late] = [worker('ada', 'first', 1), worker('gus', 'second', 2)];
    await late.stop();
    await early.stop();
    const { errors } = await readErrorStatistics(app);
    expect(errors).toMatchObject([{ name: '23505', last_caller: 'gus', last_requests: ['second', 'first'] }]);
  } finally {
    await stop();
  }
});

it('ErrorStatistics does not count the error of a request whose client left before the response', async () => {
  const { as, stop } = await startAppDatabase('left');
  try {
    const app = { ref: 'shop', serverDatabase: as('app_server') } as unknown as App;
    const events = new Events();
    const statistics = new ErrorStatistics({ find: async () => app } as unknown as Apps, events);
    statistics.start(turns);
    const call = { type: 'call', app: 'shop', subject: null, limit: null, userId: 'ada', trace: { at: Date.now() } };
    events.emit({ ...call, code: '57014', requestId: 'left', isAbandoned: true } as unknown as CallEvent);
    events.emit({ ...call, code: '23505', requestId: 'stayed', isAbandoned: false } as unknown as CallEvent);
    await statistics.stop();
    const { errors } = await readErrorStatistics(app);
    expect(errors.map(({ name }) => name)).toEqual(['23505']);
  } finally {
    await stop();
  }
});
