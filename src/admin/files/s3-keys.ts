import { z } from 'zod';
import type { CreatedS3Key, S3KeyEntry } from '../../../contract/files.ts';
import { limits } from '../../../contract/limits.ts';
import { newS3KeyId, s3KeySecret } from '../../apps/keys/s3-keys.ts';
import { runAsServerRole } from '../../apps/run-as-server-role.ts';
import { authorOfTransaction } from '../../apps/team/author.ts';
import { firstJson } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { line } from '../body.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { callerName } from '../caller-name.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../reply.ts';

const LIST = `select json_agg(k order by k.created_at desc, k.id)
  from (select id, name, created_by, created_at, last_used_at from ninefold.s3_keys) k`;

const listS3Keys = adminCall({
  route: 'GET /apps/:ref/files/s3-keys',
  least: 'developer',
  summary: 'Returns the access keys of the S3 protocol, newest first, without their secrets.',
  returns: 'S3KeyEntry[]',
  handle: async ({ context, ref }) => {
    const app = await openApp(context, ref);
    const [result] = await runAsServerRole(app.serverDatabase, [{ text: LIST, params: [] }]);
    return json((result && firstJson<S3KeyEntry[]>(result)) ?? []);
  },
});

// The lock makes two calls at the same time count one after the other.
const LOCK = 'lock table ninefold.s3_keys in share row exclusive mode';

const INSERT = `with added as (
    insert into ninefold.s3_keys as k (id, name, created_by)
    select $1, $2, $3 where (select count(*) from ninefold.s3_keys) < ${limits.s3Keys.default}
    returning k.id, k.name, k.created_by, k.created_at, k.last_used_at
  ) select row_to_json(a) from added a`;

const createS3Key = adminCall({
  route: 'POST /apps/:ref/files/s3-keys',
  least: 'owner',
  sensitive: 'create an access key that reads and changes every file',
  audit: { action: 's3_key_created', details: ({ name }) => ({ name }) },
  summary:
    'Creates an access key of the S3 protocol with the privileges of the service role. Only this response contains its secret.',
  returns: '201 CreatedS3Key',
  errors: ['s3_keys_full'],
  body: z.strictObject({ name: line(limits.apiKeyNameCharacters.default) }),
  handle: async ({ context, caller, ref, body: { name } }) => {
    const app = await openApp(context, ref);
    const id = newS3KeyId();
    const [, result] = await runAsServerRole(app.serverDatabase, [
      { text: LOCK, params: [] },
      { text: INSERT, params: [id, name, await callerName(context, caller)] },
    ]);
    const added = result && firstJson<S3KeyEntry>(result);
    if (!added) throw new NinefoldError('s3_keys_full');
    return json({ ...added, secret: s3KeySecret(app.record, id) } satisfies CreatedS3Key, 201);
  },
});

const DELETE =
  'with gone as (delete from ninefold.s3_keys k where k.id = $1 returning k.id) select json_agg(id) from gone';

const deleteS3Key = adminCall({
  route: 'DELETE /apps/:ref/files/s3-keys/:id',
  least: 'owner',
  audit: { action: 's3_key_deleted', details: (_, { id }) => ({ id }) },
  summary: 'Deletes an access key of the S3 protocol. Requests with it are refused from the next one.',
  errors: ['api_key_unknown'],
  handle: async ({ context, ref, id }) => {
    const app = await openApp(context, ref);
    const [result] = id.includes('\0')
      ? []
      : await runAsServerRole(app.serverDatabase, [{ text: DELETE, params: [id] }]);
    if (!result || firstJson(result) === null) throw new NinefoldError('api_key_unknown', { details: { id } });
    return noContent();
  },
});

const ROTATE = `insert into ninefold.settings as s (key, value, set_by) values ('storage_url_generation', '2', $1)
  on conflict (key) do update set set_at = now(), set_by = excluded.set_by,
    value = case when jsonb_typeof(s.value) = 'number' then to_jsonb((s.value)::bigint + 1) else excluded.value end`;

const rotateUrlKey = adminCall({
  route: 'POST /apps/:ref/files/url-key/rotate',
  least: 'owner',
  sensitive: 'end every signed URL of a file',
  audit: { action: 'url_key_rotated' },
  summary: 'Replaces the key that signs URLs of files. Every signed URL ends.',
  handle: async ({ context, caller, ref }) => {
    const app = await openApp(context, ref);
    const who = await callerName(context, caller);
    await runAsServerRole(app.serverDatabase, [authorOfTransaction(who), { text: ROTATE, params: [who] }]);
    return noContent();
  },
});

export const fileKeyCalls: readonly AdminCall[] = [listS3Keys, createS3Key, deleteS3Key, rotateUrlKey];
