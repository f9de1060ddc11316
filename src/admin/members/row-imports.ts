import { z } from 'zod';
import { limits } from '../../../contract/limits.ts';
import type { RowImportRequest } from '../../../contract/row-imports.ts';
import { deleteRowImport, readRowImports, storeRowImport } from '../../apps/maintenance/row-imports.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { line } from '../body.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { callerName } from '../caller-name.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../reply.ts';

const text = line(limits.auditedCharacters.default);
/** A transaction id of PostgreSQL has 32 bits. */
const transaction = z.string().regex(/^\d{1,10}$/);

const showRowImports = adminCall({
  route: 'GET /apps/:ref/row-imports',
  least: 'developer',
  summary: 'Returns the imports of rows that can be undone.',
  returns: 'RowImport[]',
  handle: async ({ context, ref }) => json(await readRowImports((await openApp(context, ref)).serverDatabase)),
});

const noteRowImport = adminCall({
  route: 'POST /apps/:ref/row-imports',
  least: 'developer',
  audit: {
    action: 'rows_imported',
    details: ({ entity, file, rows }) => ({ entity, file, rows }),
  },
  summary: 'Stores an import of rows, so that it can be undone.',
  body: z.strictObject({
    ...{ entity: text, file: text, rows: z.int().positive(), transaction },
  }) satisfies z.ZodType<RowImportRequest>,
  handle: async ({ context, caller, ref, body: imported }) => {
    const { serverDatabase } = await openApp(context, ref);
    await storeRowImport(serverDatabase, imported, await callerName(context, caller));
    return noContent();
  },
});

const forgetRowImport = adminCall({
  route: 'DELETE /apps/:ref/row-imports/:id',
  least: 'developer',
  audit: { action: 'import_undone', details: (_, { id }) => ({ import: id }) },
  summary: 'Removes an import whose rows were deleted.',
  errors: ['not_found'],
  handle: async ({ context, ref, id }) => {
    if (!/^\d{1,18}$/.test(id))
      throw new NinefoldError('not_found', { message: 'The app has no import with this id.' });
    await deleteRowImport((await openApp(context, ref)).serverDatabase, id);
    return noContent();
  },
});

export const rowImportCalls: readonly AdminCall[] = [showRowImports, noteRowImport, forgetRowImport];
