/**
 * Measures the limit of a case: the same SQL with the driver alone, pipelined and without HTTP. As many of these
 * processes run as the node has workers. A message tells each process what to do.
 */
import { limits } from '../contract/limits.ts';
import { defaultRestSettings } from '../contract/settings.ts';
import { defaultAuthSettings } from '../contract/settings-auth.ts';
import { signInByPassword } from '../src/accounts/passwords/password-sign-in.ts';
import { PasswordHasher } from '../src/accounts/passwords/passwords.ts';
import { exchangeRefreshToken } from '../src/accounts/sessions/refresh-tokens.ts';
import { loadSchemaCache } from '../src/catalog/load-schema-cache.ts';
import { Connection } from '../src/database/connection.ts';
import { parseConnectionUrl } from '../src/database/connection-config.ts';
import type { Executor } from '../src/database/database.ts';
import type { Statement } from '../src/database/statement.ts';
import type { Identity } from '../src/identity/identity.ts';
import { RefreshedValue } from '../src/limits/refreshed-value.ts';
import { signInSubjects } from '../src/limits/sign-in-attempts.ts';
import { planRequest } from '../src/rest/plan/plan-request.ts';
import { parseRequest } from '../src/rest/request/parse-request.ts';
import { buildStatements } from '../src/rest/sql/build-statements.ts';
import type { LimitOrder, LimitReport } from './cases.ts';
import { WORKERS } from './figures.ts';
import { storageWorks } from './storage/limit-works.ts';

const CONNECTIONS = 4;
const client = { userAgent: 'bench', address: '127.0.0.1' };

process.on('message', (order: LimitOrder) => {
  measure(order).then(
    (report) => process.send?.(report, () => process.exit(0)),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});

async function measure(order: LimitOrder): Promise<LimitReport> {
  const target = parseConnectionUrl(order.databaseUrl, 'bench');
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => Connection.open(target, 5000)));
  const works = await worksOf(order, connections);
  const times: number[] = [];
  const before = process.cpuUsage();
  const started = performance.now();
  const until = started + order.milliseconds;
  await Promise.all(
    works.map(async (work) => {
      while (performance.now() < until) {
        const at = performance.now();
        await work();
        times.push(performance.now() - at);
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  for (const connection of connections) connection.close();
  const { user, system } = process.cpuUsage(before);
  return { perSecond: times.length / seconds, times, processorMilliseconds: (user + system) / 1000 };
}

/** Returns one function for each of the concurrent callers. The caller repeats this function. */
async function worksOf(order: LimitOrder, connections: readonly Connection[]): Promise<(() => Promise<unknown>)[]> {
  const callers = Array.from({ length: order.concurrency }, (_, i) => i);
  const passwords = new PasswordHasher(WORKERS).of('bench');
  const executor = (caller: number): Executor => {
    const connection = connections[caller % connections.length] as Connection;
    return { run: (statements) => connection.run(statements) };
  };
  if (order.kind === 'rest') {
    const schemaCache = await loadSchemaCache(executor(0), ['public'], ['public', 'extensions']);
    const identity = JSON.parse(order.identity) as Identity;
    const batches: (readonly Statement[])[] = order.calls.map(({ method, path, query, headers, body }) => {
      const request = parseRequest(
        {
          method,
          path,
          query,
          headers,
          body: body === '' ? null : Buffer.from(body),
          stream: null,
          target: '/',
          address: '127.0.0.1',
          requestId: 'bench',
          baseUrl: '',
          signal: new AbortController().signal,
        },
        defaultRestSettings,
      );
      const plan = planRequest(request, schemaCache, defaultRestSettings);
      if (plan.kind === 'options' || plan.kind === 'describe') throw new Error('no query');
      return buildStatements(request, plan, identity, defaultRestSettings).statements;
    });
    return callers.map((caller) => {
      const database = executor(caller);
      let turn = caller * 17;
      return () => database.run(batches[turn++ % batches.length] as readonly Statement[]);
    });
  }
  if (order.kind === 'refresh') {
    return callers.map((caller) => {
      const database = executor(caller);
      let token = order.tokens[caller % order.tokens.length] ?? '';
      return async () => {
        const exchanged = await exchangeRefreshToken(database, token, client, defaultAuthSettings, 'any key');
        if (exchanged.verdict !== 'granted') throw new Error(`refused: ${exchanged.verdict}`);
        token = exchanged.grant.refreshToken;
      };
    });
  }
  if (order.kind === 'upload' || order.kind === 'download') return storageWorks(order, callers.map(executor));
  if (order.kind === 'hash') {
    const hash = await passwords.hash(order.password);
    return callers.map(() => () => passwords.verify(order.password, hash));
  }
  const commonHashes = new RefreshedValue<readonly string[]>(limits.commonHashSeconds.default * 1000);
  return callers.map((caller) => {
    const parts = { database: executor(caller), passwords, commonHashes };
    const name = order.emails[caller % order.emails.length] ?? '';
    const subjects = signInSubjects('127.0.0.1', name, defaultAuthSettings);
    const { password } = order;
    return async () => {
      const { signal } = new AbortController();
      const check = { login: { by: 'email', name } as const, password, subjects, client, signal };
      const { outcome } = await signInByPassword(parts, check);
      if (outcome !== 'signed-in') throw new Error(`refused: ${outcome}`);
    };
  });
}
