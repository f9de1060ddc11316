import { z } from 'zod';
import type { UnsavedChanges } from '../../../contract/changes.ts';
import { runAsServerRole } from '../../apps/run-as-server-role.ts';
import { firstJson } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { callerName } from '../caller-name.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../reply.ts';
import { hashOf, migrationFile } from './migrate.ts';

/** SQL condition for entries of the journal (alias `j`) that are in no migration file. */
const isUnsaved = 'j.statement is not null and j.saved_as is null';

const showUnsaved = adminCall({
  route: 'GET /apps/:ref/migrations/unsaved',
  least: 'developer',
  summary: 'Returns the statements that changed the schema or a definition and are in no migration file.',
  returns: 'UnsavedChanges',
  handle: async ({ context, ref }) => {
    const { serverDatabase } = await openApp(context, ref);
    const [result] = await runAsServerRole(serverDatabase, [
      {
        // The same script can be in the journal twice: as a change of the schema and as a change of a definition. It is
        // returned once.
        text: `select json_build_object('last', coalesce(max(last), 0), 'statements', coalesce(json_agg(json_build_object(
               'at', at, 'who', who, 'what', what, 'statement', statement) order by id), '[]'))
             from (select min(j.id) as id, max(j.id) as last, j.at, j.statement, min(coalesce(j.made_by, j.role)) as who, min(j.what) as what
               from ninefold.journal j where ${isUnsaved} group by j.transaction, j.at, j.statement) s`,
        params: [],
      },
    ]);
    const unsaved = result && firstJson<UnsavedChanges>(result);
    if (!unsaved) throw new NinefoldError('internal');
    return json(unsaved);
  },
});

const noteSaved = adminCall({
  route: 'POST /apps/:ref/migrations/save',
  least: 'developer',
  summary: 'Records a migration file as applied, and the changes up to `last` as saved in it.',
  errors: ['migration_outdated', 'app_busy'],
  body: migrationFile.extend({ last: z.int().min(1) }),
  handle: async ({ context, caller, ref, body: { name, sql, last } }) => {
    const who = await callerName(context, caller);
    const { serverDatabase } = await openApp(context, ref);
    const noted = await context.lifecycle.withAppLocks([ref], async () => {
      const statements = [
        {
          text: `with file as (
                 insert into ninefold.migrations (name, sha256, applied_by, milliseconds)
                 select $1, $2, $3, 0
                 where (select max(j.id) from ninefold.journal j where ${isUnsaved}) = $4::bigint
                 on conflict (name) do nothing returning name
               ), saved as (
                 update ninefold.journal j set saved_as = file.name from file where ${isUnsaved} and j.id <= $4::bigint
               )
               select json_build_object('noted', count(*)) from file`,
          params: [name, hashOf(sql), who, String(last)],
        },
      ];
      const [result] = await runAsServerRole(serverDatabase, statements);
      return (result && firstJson<{ noted: number }>(result))?.noted === 1;
    });
    if (!noted) throw new NinefoldError('migration_outdated', { details: { name } });
    return noContent();
  },
});

export const saveMigrationCalls: readonly AdminCall[] = [noteSaved, showUnsaved];
