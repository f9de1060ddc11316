import { posix } from 'node:path';
import { z } from 'zod';
import {
  type DeployFunction,
  type EdgeFunction,
  FUNCTION_NAME,
  type FunctionFigures,
  type FunctionsState,
  RESERVED_SECRET,
  SECRET_NAME,
  VERSION_NOTE_CHARACTERS,
} from '../../../contract/functions.ts';
import { limits } from '../../../contract/limits.ts';
import type { App } from '../../apps/app.ts';
import { storageFull } from '../../apps/exceeded-bounds.ts';
import { readFunctionLogs, readStartMilliseconds } from '../../apps/functions/function-logs.ts';
import {
  changeFunction,
  deleteFunction,
  listFunctions,
  listSecrets,
  readSources,
  type StoredFunction,
  storeVersion,
  writeSecrets,
} from '../../apps/functions/function-store.ts';
import { serverOf } from '../../apps/registry/server.ts';
import { type CallSeries, figuresOf, readSeries } from '../../apps/statistics/read-statistics.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { BundleError } from '../../functions/bundle/bundle-error.ts';
import type { FunctionCode } from '../../functions/bundle/bundle-function.ts';
import { bundleInProcess } from '../../functions/bundle/bundle-process.ts';
import { line } from '../body.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { callerName } from '../caller-name.ts';
import type { AdminContext } from '../context.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../reply.ts';

/** Hours of the figures of a function. */
const HOURS = 24;
/** Maximum length of the path of a file. */
const PATH_CHARACTERS = 300;
/** Lines of output that one call returns. */
const LOG_LINES = 500;

const filePath = z
  .string()
  .min(1)
  .max(PATH_CHARACTERS)
  .refine(
    (path) => posix.normalize(path) === path && !/^\.{0,2}\/|^\.\.$|[\\\0]/.test(path),
    'must be a relative path within the functions',
  );

const deployment: z.ZodType<DeployFunction> = z
  .strictObject({
    files: z
      .record(filePath, z.string())
      .refine(
        (files) => Object.keys(files).length <= limits.functionSourceFiles.default,
        `has more than ${limits.functionSourceFiles.default} files`,
      )
      .refine(
        (files) =>
          Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0) <=
          limits.functionSourceBytes.default,
        `has more than ${limits.functionSourceBytes.default} bytes`,
      ),
    entrypoint: filePath,
    import_map: filePath.optional(),
    verify_jwt: z.boolean().optional(),
    message: line(VERSION_NOTE_CHARACTERS).optional(),
  })
  .refine(({ files, entrypoint }) => Object.hasOwn(files, entrypoint), {
    path: ['entrypoint'],
    message: 'is not one of the files',
  })
  .refine(({ files, import_map: map }) => map === undefined || Object.hasOwn(files, map), {
    path: ['import_map'],
    message: 'is not one of the files',
  });

const showFunctions = adminCall({
  route: 'GET /apps/:ref/functions',
  least: 'reader',
  summary: 'Returns the edge functions with their versions and figures, and the names of their secrets.',
  returns: 'FunctionsState',
  handle: async ({ context, ref }) => {
    const app = await openApp(context, ref);
    const [functions, secrets] = await Promise.all([readFunctions(context, app), listSecrets(app.serverDatabase)]);
    const state: FunctionsState = { runs: context.functions.runs, functions, secrets };
    return json(state);
  },
});

const deployFunction = adminCall({
  route: 'PUT /apps/:ref/functions/:name',
  least: 'developer',
  audit: { action: 'function_deployed', details: (_, { name }) => ({ function: name }) },
  summary:
    'Deploys a version of an edge function: bundles its files with everything that they import, and makes the version active.',
  returns: 'EdgeFunction',
  errors: ['function_not_bundled', 'function_limit_reached', 'function_busy', 'app_storage_full'],
  body: deployment,
  handle: async ({ context, caller, ref, name, body }) => {
    const app = await openApp(context, ref);
    if (app.isFull) throw storageFull();
    const { files, entrypoint, import_map: importMap, verify_jwt: verifiesJwt = true, message = null } = body;
    const { code, reads } = await bundle(context, ref, { files, entrypoint, importMap });
    await storeVersion(app.serverDatabase, {
      ...{ name: functionName(name), verifiesJwt, entrypoint, sources: files, bundle: code, reads, message },
      importMap: importMap ?? null,
      createdBy: await callerName(context, caller),
    });
    await context.versions.note(app);
    return json(await readFunction(context, app, name));
  },
});

async function bundle(context: AdminContext, ref: string, code: FunctionCode) {
  const { deployments, bundles } = context.functions;
  const end = deployments.begin(ref, { ofSubject: 1, ofAll: limits.functionDeployments.default });
  if (end === null) {
    throw new NinefoldError('function_busy', {
      message: 'Another deployment runs.',
      limit: 'functionDeployments',
      retryAfter: 2,
    });
  }
  try {
    return await bundleInProcess(bundles, code);
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    const [first] = error.faults;
    const place = first?.file ? `${first.file}${first.line === null ? '' : `:${first.line}`}: ` : '';
    throw new NinefoldError('function_not_bundled', {
      message: `${place}${first?.message ?? error.message}`,
      details: error.faults,
    });
  } finally {
    end();
  }
}

const changeOneFunction = adminCall({
  route: 'PATCH /apps/:ref/functions/:name',
  least: 'developer',
  audit: {
    action: 'function_changed',
    details: ({ version, verify_jwt: verifiesJwt }, { name }) => ({ function: name, version, verify_jwt: verifiesJwt }),
  },
  summary:
    'Makes another version active, switches the function off with the version null, or changes whether it verifies callers.',
  returns: 'EdgeFunction',
  errors: ['not_found'],
  body: z.strictObject({ version: z.int().positive().nullable().optional(), verify_jwt: z.boolean().optional() }),
  handle: async ({ context, ref, name, body: { version, verify_jwt: verifiesJwt } }) => {
    const app = await openApp(context, ref);
    await changeFunction(app.serverDatabase, functionName(name), { version, verifiesJwt });
    await context.versions.note(app);
    return json(await readFunction(context, app, name));
  },
});

const deleteOneFunction = adminCall({
  route: 'DELETE /apps/:ref/functions/:name',
  least: 'developer',
  audit: { action: 'function_deleted', details: (_, { name }) => ({ function: name }) },
  summary: 'Deletes an edge function with all its versions.',
  errors: ['not_found'],
  handle: async ({ context, ref, name }) => {
    const app = await openApp(context, ref);
    await deleteFunction(app.serverDatabase, functionName(name));
    await context.versions.note(app);
    return noContent();
  },
});

const showSource = adminCall({
  route: 'GET /apps/:ref/functions/:name/source',
  least: 'developer',
  summary: 'Returns the files of a version; by default of the active one.',
  returns: 'FunctionSources',
  query: ['version'],
  errors: ['not_found'],
  handle: async ({ context, ref, name, query }) => {
    const version = query.get('version');
    const number = version === null ? null : Number(version);
    const isNumber = number === null || (Number.isInteger(number) && number > 0);
    const app = await openApp(context, ref);
    const found = isNumber ? await readSources(app.serverDatabase, functionName(name), number) : null;
    if (found === null) throw new NinefoldError('not_found', { message: 'The app has no such version of a function.' });
    return json(found);
  },
});

const showLogs = adminCall({
  route: 'GET /apps/:ref/function-logs',
  least: 'developer',
  summary: 'Returns the newest lines of output of edge functions, of one function or request if the query names it.',
  returns: 'FunctionLogLine[]',
  query: ['function', 'request_id', 'after', 'level'],
  handle: async ({ context, ref, query }) => {
    const app = await openApp(context, ref);
    await context.functions.flushLogs(ref);
    const after = Number(query.get('after') ?? 0);
    return json(
      await readFunctionLogs(app.serverDatabase, {
        function: query.get('function'),
        requestId: query.get('request_id'),
        after: Number.isSafeInteger(after) && after > 0 ? after : 0,
        onlyErrors: query.get('level') === 'error',
        limit: LOG_LINES,
      }),
    );
  },
});

const setSecrets = adminCall({
  route: 'PUT /apps/:ref/function-secrets',
  least: 'developer',
  audit: { action: 'function_secrets_set', details: (body) => ({ names: Object.keys(body) }) },
  summary:
    'Sets secrets of edge functions, which are their environment variables; null deletes one. Values are never shown.',
  returns: 'FunctionsState',
  body: z
    .record(
      z.string(),
      z
        .string()
        .refine(
          (value) => Buffer.byteLength(value) <= limits.functionSecretBytes.default && !value.includes('\0'),
          'is too long or has the character NUL',
        )
        .nullable(),
    )
    .superRefine((secrets, context) => {
      for (const name of Object.keys(secrets)) {
        const problem = secretNameProblem(name);
        if (problem !== null) context.addIssue({ code: 'custom', message: `${name} ${problem}` });
      }
    })
    .refine((secrets) => Object.keys(secrets).length > 0, 'names no secret'),
  handle: async ({ context, caller, ref, body }) => {
    const app = await openApp(context, ref);
    const added = Object.values(body).filter((value) => value !== null).length;
    const known = await listSecrets(app.serverDatabase);
    const names = new Set([...known.map(({ name }) => name), ...Object.keys(body)]);
    if (added > 0 && names.size > limits.functionSecrets.default) {
      throw new NinefoldError('validation_invalid', {
        message: `An app has at most ${limits.functionSecrets.default} secrets.`,
        limit: 'functionSecrets',
      });
    }
    await writeSecrets(
      app.serverDatabase,
      serverOf(context.server, app.record).masterKey,
      body,
      await callerName(context, caller),
    );
    const [functions, secrets] = await Promise.all([readFunctions(context, app), listSecrets(app.serverDatabase)]);
    const state: FunctionsState = { runs: context.functions.runs, functions, secrets };
    return json(state);
  },
});

/** Returns why a name cannot be that of a secret; null if it can. */
function secretNameProblem(name: string): string | null {
  if (!SECRET_NAME.test(name)) return 'is not the name of an environment variable';
  return RESERVED_SECRET.test(name)
    ? 'is reserved: the node sets this variable, or variables with this beginning'
    : null;
}

function functionName(name: string): string {
  if (FUNCTION_NAME.test(name)) return name;
  throw new NinefoldError('validation_invalid', {
    message: 'The name of a function begins with a letter, and has letters, digits, hyphens and underscores.',
  });
}

async function readFunction(context: AdminContext, app: App, name: string): Promise<EdgeFunction> {
  const found = (await readFunctions(context, app)).find((each) => each.name === name);
  if (!found) throw new NinefoldError('not_found', { message: 'The app has no function with this name.' });
  return found;
}

async function readFunctions({ origins }: AdminContext, app: App): Promise<EdgeFunction[]> {
  const [functions, series, start] = await Promise.all([
    listFunctions(app.serverDatabase),
    readSeries(app, 'day'),
    readStartMilliseconds(app.serverDatabase),
  ]);
  const url = `${origins.appUrl(app.ref)}/functions/v1`;
  return functions.map((each: StoredFunction) => ({
    ...each,
    url: `${url}/${each.name}`,
    calls: figures(series, each.name, start),
  }));
}

function figures({ calls }: CallSeries, name: string, start: number | null): FunctionFigures {
  const found = calls.get(`functions.${name}`);
  const hours = new Array<number>(HOURS).fill(0);
  const points = found?.points ?? [];
  points.forEach((point, i) => {
    const hour = Math.floor((i * HOURS) / points.length);
    hours[hour] = (hours[hour] ?? 0) + (point?.calls ?? 0);
  });
  const {
    calls: count,
    failed,
    p50_ms: median,
  } = found ? figuresOf(found, 'day') : { calls: 0, failed: 0, p50_ms: null };
  return { count, failed, hours, median, start };
}

export const functionCalls: readonly AdminCall[] = [
  showFunctions,
  deployFunction,
  changeOneFunction,
  deleteOneFunction,
  showSource,
  showLogs,
  setSecrets,
];
