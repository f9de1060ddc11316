import { z } from 'zod';
import type { App } from '../../apps/app.ts';
import { sweepUnused } from '../../apps/files/sweep.ts';
import { verifyFiles } from '../../apps/files/verify.ts';
import { type AdminCall, adminCall } from '../call.ts';
import type { AdminContext } from '../context.ts';
import { openApp } from '../open-app.ts';
import { json } from '../reply.ts';

/** Returns the places of an app's files. */
const filesOf = ({ store }: AdminContext, { ref, serverDatabase, database }: App) => ({
  ref,
  store,
  server: serverDatabase,
  authenticator: database,
});

const verify = adminCall({
  route: 'POST /apps/:ref/files/verify',
  least: 'developer',
  summary: 'Compares every row of the files with its bytes. With `read`, reads all bytes and compares their hash.',
  returns: 'FileCheck',
  body: z.strictObject({ read: z.boolean().optional() }),
  handle: async ({ context, ref, body }) => {
    const app = await openApp(context, ref);
    return json(await verifyFiles(filesOf(context, app), { reads: body.read === true }));
  },
});

const sweep = adminCall({
  route: 'POST /apps/:ref/files/sweep',
  least: 'developer',
  summary: 'Deletes the bytes of deleted files at once. The node does this by itself within seconds.',
  returns: '{ deleted: number }',
  handle: async ({ context, ref }) => {
    const app = await openApp(context, ref);
    return json({ deleted: await sweepUnused(filesOf(context, app)) });
  },
});

/** The calls that check files. */
export const verifyCalls: readonly AdminCall[] = [verify, sweep];
