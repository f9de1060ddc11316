import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import { importSources } from '../../../contract/member-imports.ts';
import {
  beginImport,
  claimImport,
  deleteImport,
  INTERRUPTED,
  readImport,
  readRefusals,
  storePart,
} from '../../accounts/import/import-store.ts';
import { type ImportedFile, previewImport, runImport } from '../../accounts/import/run-import.ts';
import type { App } from '../../apps/app.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';
import { line } from '../body.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { callerName } from '../caller-name.ts';
import type { AdminContext } from '../context.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../reply.ts';

const base64 = z
  .string()
  .max(limits.importedHashCharacters.default)
  .regex(/^[A-Za-z0-9+/]*={0,2}$/, 'is not base64');
const firebase = z.strictObject({
  base64_signer_key: base64.min(4),
  base64_salt_separator: base64,
  rounds: z.int().min(1).max(limits.importedHashPasses.default),
  mem_cost: z.int().min(1).max(limits.importedHashPasses.default),
});

const beginMemberImport = adminCall({
  route: 'POST /apps/:ref/member-imports',
  least: 'developer',
  summary: 'Creates an import of members. The client then sends the file in parts.',
  returns: '201 MemberImport',
  body: z.strictObject({
    source: z.enum(importSources),
    file_name: line(limits.migrationNameCharacters.default),
    firebase: firebase.optional(),
  }),
  handle: async ({ context, caller, ref, body: { source, file_name: fileName, firebase: options = {} } }) => {
    const app = await openApp(context, ref);
    const createdBy = await callerName(context, caller);
    return json(await beginImport(app.database, { source, fileName, options, createdBy }), 201);
  },
});

const storeImportPart = adminCall({
  route: 'PUT /apps/:ref/member-imports/:id/parts/:position',
  least: 'developer',
  summary: 'Stores a part of the file, which is the body. The first position is 0.',
  errors: ['not_found', 'import_too_large'],
  handle: async ({ context, request, ref, id, position }) => {
    if (!/^\d{1,6}$/.test(position)) {
      throw new NinefoldError('validation_invalid', { message: 'The position of a part is a whole number from 0.' });
    }
    if (request.body === null) throw new NinefoldError('validation_invalid', { message: 'The part is empty.' });
    const { app } = await importOf(context, ref, id);
    if (!(await storePart(app.database, id, Number(position), request.body)))
      throw new NinefoldError('import_too_large');
    return noContent();
  },
});

const showMemberImport = adminCall({
  route: 'GET /apps/:ref/member-imports/:id',
  least: 'developer',
  summary: 'Returns the progress of the import.',
  returns: 'MemberImport',
  errors: ['not_found'],
  handle: async ({ context, ref, id }) => json((await importOf(context, ref, id)).shown),
});

const showImportPreview = adminCall({
  route: 'GET /apps/:ref/member-imports/:id/preview',
  least: 'developer',
  summary: 'Returns the first records as they would be imported.',
  returns: 'ImportPreview',
  errors: ['not_found'],
  handle: async ({ context, ref, id }) => {
    const { app, file } = await importOf(context, ref, id);
    return json(await previewImport(app.database, file, context.accountForms));
  },
});

const showImportRefusals = adminCall({
  route: 'GET /apps/:ref/member-imports/:id/refusals',
  least: 'developer',
  summary: 'Returns the records that did not become members.',
  returns: 'RefusedRecord[]',
  errors: ['not_found'],
  handle: async ({ context, ref, id }) => {
    const { app } = await importOf(context, ref, id);
    return json(await readRefusals(app.database, id));
  },
});

const removeMemberImport = adminCall({
  route: 'DELETE /apps/:ref/member-imports/:id',
  least: 'developer',
  summary: 'Deletes the file and the report, and keeps the members.',
  errors: ['not_found', 'import_busy'],
  handle: async ({ context, ref, id }) => {
    const { app } = await importOf(context, ref, id);
    const isDeleted =
      (await deleteImport(app.database, id, false)) ||
      (await context.importLocks.start(
        ref,
        () => deleteImport(app.database, id, true),
        () => Promise.resolve(),
      ));
    if (!isDeleted) throw running();
    return noContent();
  },
});

/** Seconds after which the client may ask again while an import runs. */
const RETRY_SECONDS = Math.ceil(limits.importSilenceSeconds.default / 4);

const running = (): NinefoldError =>
  new NinefoldError('import_busy', {
    message: `An import of this app is running. Try again in ${RETRY_SECONDS} seconds.`,
    retryAfter: RETRY_SECONDS,
  });

const runMemberImport = adminCall({
  route: 'POST /apps/:ref/member-imports/:id/run',
  least: 'developer',
  audit: {
    action: 'members_imported',
    details: (_, { id }) => ({ import: id }),
  },
  summary: 'Runs the import in the background.',
  returns: '202 MemberImport',
  errors: ['not_found', 'import_busy'],
  handle: async ({ context, ref, id }) => {
    const { app, file, shown } = await importOf(context, ref, id);
    if (shown.state === 'done') {
      throw new NinefoldError('import_busy', {
        message: 'This import is done. Begin a new import to import the file again.',
      });
    }
    const max = limits.importsAtOnce.default;
    const end = context.importsInFlight.begin('node', { ofSubject: max });
    if (end === null) {
      throw new NinefoldError('import_busy', {
        message: `This worker runs ${max} imports already. Try again in ${RETRY_SECONDS} seconds.`,
        retryAfter: RETRY_SECONDS,
        quota: { count: max },
      });
    }
    let isStarted = false;
    try {
      isStarted = await context.importLocks.start(
        ref,
        () => claimImport(app.database, id),
        (assertHeld) =>
          runImport(app.database, () => app.dedicatedPool(), file, context.accountForms, assertHeld)
            .catch((error: unknown) => context.events.emit({ type: 'fault', requestId: null, where: 'import', error }))
            .finally(end),
      );
    } finally {
      if (!isStarted) end();
    }
    if (!isStarted) throw running();
    return json((await readImport(app.database, id)).shown, 202);
  },
});

async function importOf(
  context: AdminContext,
  ref: string,
  id: string,
): Promise<{ app: App; file: ImportedFile } & Awaited<ReturnType<typeof readImport>>> {
  if (!UUID.test(id)) throw new NinefoldError('not_found', { message: 'There is no import with this id.' });
  const app = await openApp(context, ref);
  const found = await readCurrent(context, app, id);
  const given = firebase.safeParse(found.options);
  const hashes = given.success
    ? {
        signerKey: given.data.base64_signer_key,
        saltSeparator: given.data.base64_salt_separator,
        rounds: given.data.rounds,
        memoryCost: given.data.mem_cost,
      }
    : null;
  const { source, file_name: fileName } = found.shown;
  return { ...found, app, file: { id, source, fileName, hashes } };
}

/** Returns an import. One that is marked as running although no worker runs it has failed. */
async function readCurrent(
  { importLocks }: AdminContext,
  app: App,
  id: string,
): Promise<Awaited<ReturnType<typeof readImport>>> {
  const found = await readImport(app.database, id);
  if (found.shown.state !== 'running' || (await importLocks.isHeld(app.ref))) return found;
  // The import may have ended between the two queries.
  const last = await readImport(app.database, id);
  if (last.shown.state !== 'running') return last;
  return { ...last, shown: { ...last.shown, state: 'failed', failure: INTERRUPTED } };
}

export const memberImportCalls: readonly AdminCall[] = [
  beginMemberImport,
  showMemberImport,
  removeMemberImport,
  storeImportPart,
  showImportPreview,
  runMemberImport,
  showImportRefusals,
];
