import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import type { RowImportRequest } from '../../../contract/row-imports.ts';
import { deleteRowImport, readRowImports, storeRowImport } from '../../apps/maintenance/row-imports.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { line, readBody } from '../body.ts';
import { callerName } from '../caller-name.ts';
import type { AdminContext, Caller } from '../context.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../router.ts';

const text = line(limits.auditedCharacters.default);
/** A transaction id of PostgreSQL has 32 bits. */
const transaction = z.string().regex(/^\d{1,10}$/);
const schema: z.ZodType<RowImportRequest> = z.strictObject({
  ...{ entity: text, file: text, rows: z.int().positive(), transaction },
});

/** Handles GET /apps/:ref/row-imports: returns the imports that can be undone. */
export async function showRowImports(context: AdminContext, ref: string): Promise<Reply> {
  return json(await readRowImports((await openApp(context, ref)).serverDatabase));
}

/** Handles POST /apps/:ref/row-imports: stores an import, so that it can be undone. */
export async function noteRowImport(
  context: AdminContext,
  caller: Caller,
  request: CallRequest,
  ref: string,
): Promise<Reply> {
  const imported = readBody(request, schema);
  const { serverDatabase } = await openApp(context, ref);
  await storeRowImport(serverDatabase, imported, await callerName(context, caller));
  return noContent();
}

/**
 * Handles DELETE /apps/:ref/row-imports/:id: removes an import whose rows were deleted.
 * @throws `not_found`
 */
export async function forgetRowImport(context: AdminContext, ref: string, id: string): Promise<Reply> {
  if (!/^\d{1,18}$/.test(id)) throw new NinefoldError('not_found', { message: 'The app has no import with this id.' });
  await deleteRowImport((await openApp(context, ref)).serverDatabase, id);
  return noContent();
}
