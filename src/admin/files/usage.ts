import type { FileDetails, FileUsage } from '../../../contract/files.ts';
import { limits } from '../../../contract/limits.ts';
import type { App } from '../../apps/app.ts';
import { becomeAuthAdmin, runAsServerRole } from '../../apps/run-as-server-role.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { firstJson, type Statement } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { openApp } from '../open-app.ts';
import { json } from '../reply.ts';

/** Digits of the largest size that counts. The sum of such sizes fits into a bigint. */
const SIZE_DIGITS = 15;

/** Number of members that the usage names. */
const TOP_MEMBERS = 20;

/** Makes a transaction of the app's authenticator read every object, and ends it after `fileUsageSeconds`. */
const becomeServiceRole: Statement = {
  text: `select pg_catalog.set_config('role', 'service_role', true), pg_catalog.set_config('search_path', '', true),
    pg_catalog.set_config('lock_timeout', '0', true), pg_catalog.set_config('statement_timeout', '${limits.fileUsageSeconds.default * 1000}', true)`,
  params: [],
  planKey: '',
};

/** The size of an object. SQL of the app can write any text there. */
const SIZE = `case when o.metadata ->> 'size' ~ '^[0-9]{1,${SIZE_DIGITS}}$' then (o.metadata ->> 'size')::bigint else 0 end`;

const USAGE = `
  with counted as materialized (
    select o.bucket_id, o.owner_id, count(*) as objects, sum(${SIZE})::bigint as bytes
    from storage.objects o group by o.bucket_id, o.owner_id
  ), buckets as (
    select b.id, coalesce(sum(c.objects), 0) as objects, coalesce(sum(c.bytes), 0) as bytes
    from storage.buckets b left join counted c on c.bucket_id = b.id group by b.id
  ), members as (
    select c.owner_id as id, sum(c.objects) as objects, sum(c.bytes) as bytes
    from counted c where c.owner_id is not null group by c.owner_id
  ), unused as (
    select count(*) as contents, coalesce(sum(f.size), 0) as bytes from ninefold.stored_files f
    where not exists (select from storage.objects o where o.version = f.id::text)
  )
  select json_build_object(
    'buckets', coalesce((select json_agg(b order by b.bytes desc, b.id) from buckets b), '[]'),
    'members', coalesce((
      select json_agg(m order by m.bytes desc, m.id)
      from (select * from members order by bytes desc, id limit ${TOP_MEMBERS}) m), '[]'),
    'members_with_files', (select count(*) from members),
    'stored', (select json_build_object('contents', count(*), 'bytes', coalesce(sum(f.size), 0)) from ninefold.stored_files f),
    'unused', (select row_to_json(u) from unused u))`;

const UPLOADS = `
  select json_build_object(
    'count', (select count(*) from ninefold.uploads),
    'bytes', (select coalesce(sum(p.size), 0) from ninefold.upload_parts p))`;

const showUsage = adminCall({
  route: 'GET /apps/:ref/files/usage',
  least: 'developer',
  summary:
    'Returns the objects and bytes of each bucket and of the members with the most, and the bytes that no object names.',
  returns: 'FileUsage',
  errors: ['StorageNotInstalled'],
  handle: async ({ context, ref }) => {
    const app = await openApp(context, ref);
    const [usage, [uploads]] = await Promise.all([
      readAsService<Omit<FileUsage, 'uploads' | 'quota_bytes'>>(app, USAGE, []),
      runAsServerRole(app.serverDatabase, [{ text: UPLOADS, params: [] }]),
    ]);
    if (usage === null) throw new NinefoldError('StorageNotInstalled');
    const emails = await emailsOf(
      app,
      usage.members.map(({ id }) => id),
    );
    return json({
      ...usage,
      members: usage.members.map((member) => ({ ...member, email: emails.get(member.id) ?? null })),
      uploads: (uploads && firstJson<FileUsage['uploads']>(uploads)) ?? { count: 0, bytes: 0 },
      quota_bytes: limits.appStorageBytes.default,
    } satisfies FileUsage);
  },
});

const BUCKETS = `select json_agg(b.id order by b.name, b.id)
  from (select id, name from storage.buckets order by name, id limit ${limits.accessBuckets.default}) b`;

const DETAILS = `
  select json_build_object(
    'id', o.id, 'owner_id', o.owner_id, 'user_metadata', o.user_metadata, 'version', o.version,
    'last_accessed_at', o.last_accessed_at,
    'content', (
      select json_build_object('sha256', encode(f.sha256, 'hex'), 'stored_at', f.stored_at, 'quarantined_at', f.quarantined_at,
        'objects', (select count(*) from storage.objects other where other.version = o.version))
      from ninefold.stored_files f where f.id = ninefold.file_id(o.version)))
  from storage.objects o where o.bucket_id = $1 and o.name = $2`;

const showObject = adminCall({
  route: 'GET /apps/:ref/files/object',
  least: 'developer',
  summary: 'Returns the owner, the version and the content of the object `?name=` of the bucket `?bucket=`.',
  returns: 'FileDetails',
  query: ['bucket', 'name'],
  errors: ['NoSuchKey', 'validation_invalid'],
  handle: async ({ context, ref, query }) => {
    const [bucket, name] = [query.get('bucket'), query.get('name')];
    if (!bucket || !name || `${bucket}${name}`.includes('\0')) {
      throw new NinefoldError('validation_invalid', { message: 'The query needs a bucket and a name.' });
    }
    const app = await openApp(context, ref);
    const found = await readAsService<Omit<FileDetails, 'owner_email'>>(app, DETAILS, [bucket, name]);
    if (found === null) throw new NinefoldError('NoSuchKey');
    const { owner_id } = found;
    const emails = await emailsOf(app, owner_id === null ? [] : [owner_id]);
    return json({ ...found, owner_email: emails.get(owner_id ?? '') ?? null } satisfies FileDetails);
  },
});

const showAccess = adminCall({
  route: 'GET /apps/:ref/files/access',
  least: 'developer',
  summary: 'Returns who may do what with the files of each bucket, as cells whose entity is the id of the bucket.',
  returns: 'RoleCell[]',
  errors: ['StorageNotInstalled'],
  handle: async ({ context, ref }) => {
    const app = await openApp(context, ref);
    const buckets = await readAsService<string[]>(app, BUCKETS, []);
    return json(await context.specify.bucketCells(app, buckets ?? []));
  },
});

/**
 * Runs a statement that returns one JSON value with the privileges of the service role. Policies do not apply to it.
 * @returns null without a row
 */
async function readAsService<T>(app: App, text: string, params: readonly string[]): Promise<T | null> {
  const [, result] = await app.database
    .run([becomeServiceRole, { text, params: [...params], planKey: 'service_role' }])
    .catch((error: unknown) => {
      const sqlstate = error instanceof DatabaseError ? error.sqlstate : '';
      if (notInstalled.has(sqlstate)) throw new NinefoldError('StorageNotInstalled', { cause: error });
      if (sqlstate !== CANCELED) throw error;
      const message = `The database did not count the files within ${limits.fileUsageSeconds.default} seconds.`;
      throw new NinefoldError('database_busy', { message, limit: 'fileUsageSeconds', cause: error });
    });
  return result ? firstJson<T>(result) : null;
}

/** SQLSTATE of a statement that took longer than its limit. */
const CANCELED = '57014';

/** SQLSTATEs of a missing schema, table or column: the schema storage is not Ninefold's. */
const notInstalled = new Set(['3F000', '42P01', '42703']);

const EMAILS = 'select json_object_agg(u.id, u.email) from auth.users u where u.id = any ($1::uuid[])';

/** Returns the addresses of members by id. The policies of `owner_id` let an app write any text there. */
async function emailsOf(app: App, ids: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
  const valid = ids.filter((id) => UUID.test(id));
  if (valid.length === 0) return new Map();
  const [, result] = await app.database.run([
    becomeAuthAdmin,
    { text: EMAILS, params: [`{${valid.join(',')}}`], planKey: 'supabase_auth_admin' },
  ]);
  return new Map(Object.entries((result && firstJson<Record<string, string | null>>(result)) ?? {}));
}

export const fileUsageCalls: readonly AdminCall[] = [showUsage, showAccess, showObject];
