import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { type SiteState, sitePathProblem } from '../../../contract/site.ts';
import { storageFull } from '../../apps/exceeded-bounds.ts';
import {
  beginSiteVersion,
  listSiteVersions,
  publishSiteVersion,
  storeSiteFile,
  unpublishSite,
} from '../../apps/site-store.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { UUID } from '../../identity/uuid.ts';
import { readBody } from '../body.ts';
import { callerName } from '../caller-name.ts';
import type { AdminContext, Caller } from '../context.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../router.ts';

const SHA256 = /^[\da-f]{64}$/;

const schema = z.strictObject({
  files: z
    .record(
      z.string().min(1).max(limits.sitePathCharacters.default),
      z.string().regex(SHA256, 'is not a SHA-256 in hexadecimal digits'),
    )
    .superRefine((files, context) => {
      for (const path of Object.keys(files)) {
        const problem = sitePathProblem(path);
        if (problem !== null) context.addIssue({ code: 'custom', message: `${path} ${problem}` });
      }
    })
    .refine((files) => Object.hasOwn(files, 'index.html'), 'has no index.html')
    .refine(
      (files) => Object.keys(files).length <= limits.siteFiles.default,
      `has more than ${limits.siteFiles.default} files`,
    ),
});

/** Handles GET /apps/:ref/site: returns where the front end is served, and its versions. */
export async function showSite(context: AdminContext, ref: string): Promise<Reply> {
  const app = await openApp(context, ref);
  const state: SiteState = {
    url: context.origins.appOrigin(ref),
    versions: await listSiteVersions(app.serverDatabase),
  };
  return json(state);
}

/** Handles POST /apps/:ref/site/versions: creates a version. The client then sends the files that are missing. */
export async function beginSite(
  context: AdminContext,
  caller: Caller,
  request: CallRequest,
  ref: string,
): Promise<Reply> {
  const { files } = readBody(request, schema);
  const app = await openApp(context, ref);
  if (app.isFull) throw storageFull();
  return json(await beginSiteVersion(app.serverDatabase, files, await callerName(context, caller)), 201);
}

/**
 * Handles PUT /apps/:ref/site/versions/:id/files/:sha256: stores a file.
 * @throws `validation_invalid` if the body has another SHA-256
 */
export async function storeSite(
  context: AdminContext,
  request: CallRequest,
  ref: string,
  id: string,
  sha256: string,
): Promise<Reply> {
  const content = request.body ?? new Uint8Array();
  if (createHash('sha256').update(content).digest('hex') !== sha256) {
    throw new NinefoldError('validation_invalid', { message: 'The SHA-256 of the body is not the one in the path.' });
  }
  const app = await openApp(context, ref);
  if (app.isFull) throw storageFull();
  await storeSiteFile(app.serverDatabase, versionId(id), sha256, content);
  return noContent();
}

/** Handles POST /apps/:ref/site/versions/:id/publish: publishes a version, for the first time or again. */
export async function publishSite(context: AdminContext, ref: string, id: string): Promise<Reply> {
  const app = await openApp(context, ref);
  await publishSiteVersion(app.serverDatabase, versionId(id));
  return showSite(context, ref);
}

/** Handles DELETE /apps/:ref/site: stops serving the app's own front end, so that the pages for members are served. */
export async function removeSite(context: AdminContext, ref: string): Promise<Reply> {
  await unpublishSite((await openApp(context, ref)).serverDatabase);
  return showSite(context, ref);
}

function versionId(id: string): string {
  if (!UUID.test(id)) throw new NinefoldError('not_found', { message: 'The app has no version with this id.' });
  return id;
}
