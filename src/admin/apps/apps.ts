import { z } from 'zod';
import type { AppConnection, AppSummary } from '../../../contract/admin.ts';
import { limits } from '../../../contract/limits.ts';
import { ownerConnection } from '../../apps/app-connections.ts';
import { isCurrent } from '../../apps/apps.ts';
import { revealableKeys } from '../../apps/keys/api-keys.ts';
import { JWT_SECRET_KID } from '../../apps/keys/app-keys.ts';
import { type AppEntry, type AppRecord, CONSOLE_REF } from '../../apps/registry/app-record.ts';
import { databaseSizes } from '../../apps/registry/database-sizes.ts';
import { connectionUrl } from '../../database/connection-config.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { line } from '../body.ts';
import { type AdminCall, adminCall } from '../call.ts';
import type { AdminContext, Caller } from '../context.ts';
import { ownsApp, requireCreator } from '../least-role.ts';
import { json, noContent } from '../reply.ts';
import { createFromTemplate } from './create-from-template.ts';

const ref = z.string();
const name = line(limits.builderNameCharacters.default);

/** Returns the caller with the role owner on the new app. */
const asOwner = (caller: Caller, made: string): Caller =>
  caller.kind === 'operator' ? caller : { ...caller, apps: new Map([[made, 'owner']]) };

const builderOf = (caller: Caller): string | null => (caller.kind === 'builder' ? caller.userId : null);

const showApps = adminCall({
  route: 'GET /apps',
  least: 'builder',
  summary: 'Returns the apps that the caller may see, oldest first.',
  returns: 'AppSummary[]',
  query: ['sizes'],
  handle: async ({ context, caller, query }) => {
    const hasSizes = query.get('sizes') === 'true';
    return json(await listApps(context, caller, hasSizes));
  },
});

/** Returns the apps that the caller may see, the oldest first. */
export async function listApps(context: AdminContext, caller: Caller, hasSizes: boolean): Promise<AppSummary[]> {
  const records = (await context.registry.list()).filter(
    (record) => record.ref !== CONSOLE_REF && (caller.kind === 'operator' || caller.apps.has(record.ref)),
  );
  const databases = records.map((record) => record.database);
  const sizes = hasSizes ? await sizesOf(context, databases) : null;
  // Starts to update a few outdated apps. An app that receives no requests would otherwise stay outdated.
  const outdated = records.filter((record) => !isCurrent(record)).slice(0, limits.listedUpdates.default);
  for (const { ref } of outdated) void context.apps.serve(ref).catch(() => undefined);
  return records.map((record) => summaryOf(context, record, sizes && (sizes.get(record.database) ?? 0)));
}

/** Returns the sizes of databases on any server of the node. A server that does not answer leaves its databases out. */
async function sizesOf({ servers }: AdminContext, databases: readonly string[]): Promise<Map<string, number>> {
  const pools = await servers.pools();
  const found = await Promise.all(
    pools.map((pool, i) => {
      const sizes = databaseSizes(pool, databases);
      return i === 0 ? sizes : sizes.catch(() => new Map<string, number>());
    }),
  );
  return new Map(found.flatMap((sizes) => [...sizes]));
}

const showApp = adminCall({
  route: 'GET /apps/:ref',
  least: 'reader',
  summary: 'Returns one app.',
  returns: 'AppSummary',
  handle: async ({ context, ref }) => {
    const { record } = await context.apps.find(ref);
    const sizes = await sizesOf(context, [record.database]);
    return json(summaryOf(context, record, sizes.get(record.database) ?? 0));
  },
});

const renameApp = adminCall({
  route: 'PATCH /apps/:ref',
  least: 'owner',
  audit: { action: 'app_renamed', details: ({ name }) => ({ name }) },
  summary: 'Renames the app. Its ref stays the same.',
  body: z.strictObject({ name }),
  handle: async ({ context, ref, body }) => {
    if (!(await context.registry.rename(ref, body.name))) throw new NinefoldError('app_unknown');
    return noContent();
  },
});

const createApp = adminCall({
  route: 'POST /apps',
  least: 'creator',
  audit: {
    action: 'app_created',
    details: ({ template }) => (template ? { template } : {}),
    created: ({ ref: made }) => made,
  },
  summary: 'Creates an app, empty or from a template. The operator can name an existing `database`.',
  returns: '201 AppConnection',
  errors: [
    'app_ref_invalid',
    'app_ref_reserved',
    'app_exists',
    'app_database_unknown',
    'app_database_unfit',
    'template_unknown',
    'template_failed',
    'app_busy',
    'server_unknown',
  ],
  body: z.strictObject({
    ref,
    name: name.optional(),
    jwt_secret: z
      .string()
      .min(limits.jwtSecretMinCharacters.default)
      .max(limits.jwtSecretMaxCharacters.default)
      .optional(),
    database: line(limits.nameBytes.default).optional(),
    anon_role: line(limits.nameBytes.default).optional(),
    template: z.string().optional(),
    server: line(limits.nameBytes.default).optional(),
    expose_new_tables: z.boolean().optional(),
  }),
  handle: async ({ context, caller, body }) => {
    const options = {
      ...(body.name === undefined ? {} : { name: body.name }),
      ...(body.jwt_secret === undefined ? {} : { jwtSecret: body.jwt_secret }),
      ...(body.server === undefined ? {} : { server: body.server }),
      ...(body.expose_new_tables === undefined ? {} : { exposesNewTables: body.expose_new_tables }),
    };
    if (body.database === undefined) {
      const builder = builderOf(caller);
      const record =
        body.template === undefined
          ? await context.lifecycle.create(body.ref, { ...options, builder })
          : await createFromTemplate(context, caller, body.ref, { ...options, builder, template: body.template });
      return json(connectionOf(context, record, asOwner(caller, record.ref), true), 201);
    }
    if (body.template !== undefined) {
      throw new NinefoldError('validation_invalid', {
        message: 'template: an app on a database that is there already has its own tables; leave one of the two out.',
      });
    }
    if (body.expose_new_tables !== undefined) {
      throw new NinefoldError('validation_invalid', {
        message:
          'expose_new_tables: an app on a database that is there already keeps its privileges; leave one of the two out.',
      });
    }
    if (caller.kind !== 'operator') throw new NinefoldError('operator_required');
    const record = await context.lifecycle.attach(body.ref, body.database, {
      ...options,
      anonRole: body.anon_role ?? null,
    });
    return json(connectionOf(context, record, caller, true), 201);
  },
});

const cloneApp = adminCall({
  route: 'POST /apps/:ref/clone',
  least: 'owner',
  sensitive: 'clone the app with its rows',
  audit: { action: 'app_cloned', details: ({ ref: made }) => ({ to: made }) },
  summary: 'Copies an app with its rows. The caller must also be allowed to create apps.',
  returns: '201 AppConnection',
  errors: ['app_ref_invalid', 'app_ref_reserved', 'app_exists', 'clone_refused', 'app_session_stuck', 'app_busy'],
  requires: ({ caller }) => requireCreator(caller),
  body: z.strictObject({ ref, name: name.optional() }),
  handle: async ({ context, caller, ref, body }) => {
    const record = await context.lifecycle.clone(ref, body.ref, {
      ...(body.name === undefined ? {} : { name: body.name }),
      builder: builderOf(caller),
    });
    return json(connectionOf(context, record, asOwner(caller, record.ref), true), 201);
  },
});

const deleteApp = adminCall({
  route: 'DELETE /apps/:ref',
  least: 'owner',
  sensitive: 'delete the app',
  audit: { action: 'app_deleted' },
  summary: 'Deletes an app. `confirm` repeats its ref.',
  errors: ['app_confirmation_wrong', 'app_busy'],
  body: z.strictObject({ confirm: z.string() }),
  handle: async ({ context, ref, body: { confirm } }) => {
    await context.lifecycle.delete(ref, confirm);
    return noContent();
  },
});

const showConnection = adminCall({
  route: 'GET /apps/:ref/connection',
  least: 'reader',
  summary: 'Returns the addresses and public keys of an app, and its secrets to the operator.',
  returns: 'AppConnection',
  handle: async ({ context, caller, ref }) => {
    const { record } = await context.apps.find(ref);
    return json(connectionOf(context, record, caller, caller.kind === 'operator'));
  },
});

/**
 * Returns the connection of an app.
 * @param isShown True to include the secrets. Builders do not get them here: a builder reveals each secret by a
 * separate call, which the audit log records.
 */
function connectionOf(context: AdminContext, record: AppRecord, caller: Caller, isShown: boolean): AppConnection {
  return {
    ref: record.ref,
    name: record.name,
    url: context.origins.appUrl(record.ref),
    origin: context.origins.appOrigin(record.ref),
    publishable_key: record.publishableKey,
    secret_key: isShown ? record.secretKey : '',
    anon_key: record.anonKey,
    service_role_key: isShown ? record.serviceRoleKey : '',
    jwt_secret: isShown ? record.jwtSecret : '',
    database_url: caller.kind === 'operator' ? connectionUrl(ownerConnection(context.server.target, record)) : null,
    reveals: ownsApp(caller, record.ref) ? [...revealableKeys(record), JWT_SECRET_KID] : [],
  };
}

function summaryOf(context: AdminContext, record: AppEntry, sizeBytes: number | null): AppSummary {
  return {
    ref: record.ref,
    name: record.name,
    url: context.origins.appUrl(record.ref),
    created_at: record.createdAt,
    ...(sizeBytes === null ? {} : { size_bytes: sizeBytes }),
    ...(isCurrent(record) ? {} : { outdated: true }),
    ...(record.serverRef !== undefined && { server: record.serverRef }),
  };
}

export const appCalls: readonly AdminCall[] = [
  showApps,
  createApp,
  showApp,
  renameApp,
  deleteApp,
  cloneApp,
  showConnection,
];
