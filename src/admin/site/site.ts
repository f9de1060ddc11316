import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Reply } from '../../../contract/call-request.ts';
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
import { type AdminCall, adminCall } from '../call.ts';
import { callerName } from '../caller-name.ts';
import type { AdminContext } from '../context.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../reply.ts';

const SHA256 = /^[\da-f]{64}$/;

const showSite = adminCall({
  route: 'GET /apps/:ref/site',
  least: 'reader',
  summary: 'Returns where the front end is served, and its versions.',
  returns: 'SiteState',
  handle: ({ context, ref }) => siteState(context, ref),
});

const beginSite = adminCall({
  route: 'POST /apps/:ref/site/versions',
  least: 'developer',
  summary: 'Creates a version of the front end. The client then sends the files that are missing.',
  returns: '201 BegunSiteVersion',
  errors: ['app_storage_full'],
  body: z.strictObject({
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
  }),
  handle: async ({ context, caller, ref, body: { files } }) => {
    const app = await openApp(context, ref);
    if (app.isFull) throw storageFull();
    return json(await beginSiteVersion(app.serverDatabase, files, await callerName(context, caller)), 201);
  },
});

const storeSite = adminCall({
  route: 'PUT /apps/:ref/site/versions/:id/files/:sha256',
  least: 'developer',
  summary: 'Stores a file, which is the body.',
  errors: ['not_found', 'app_storage_full'],
  handle: async ({ context, request, ref, id, sha256 }) => {
    const content = request.body ?? new Uint8Array();
    if (createHash('sha256').update(content).digest('hex') !== sha256) {
      throw new NinefoldError('validation_invalid', { message: 'The SHA-256 of the body is not the one in the path.' });
    }
    const app = await openApp(context, ref);
    if (app.isFull) throw storageFull();
    await storeSiteFile(app.serverDatabase, versionId(id), sha256, content);
    return noContent();
  },
});

const publishSite = adminCall({
  route: 'POST /apps/:ref/site/versions/:id/publish',
  least: 'developer',
  audit: {
    action: 'site_published',
    details: (_, { id }) => ({ version: id }),
  },
  summary: 'Publishes a version, for the first time or again.',
  returns: 'SiteState',
  errors: ['not_found', 'site_incomplete', 'site_too_large'],
  handle: async ({ context, ref, id }) => {
    const app = await openApp(context, ref);
    await publishSiteVersion(app.serverDatabase, versionId(id));
    return siteState(context, ref);
  },
});

const removeSite = adminCall({
  route: 'DELETE /apps/:ref/site',
  least: 'developer',
  audit: { action: 'site_removed' },
  summary: "Stops serving the app's own front end, so that the pages for members are served.",
  returns: 'SiteState',
  handle: async ({ context, ref }) => {
    await unpublishSite((await openApp(context, ref)).serverDatabase);
    return siteState(context, ref);
  },
});

async function siteState(context: AdminContext, ref: string): Promise<Reply> {
  const app = await openApp(context, ref);
  const state: SiteState = {
    url: context.origins.appOrigin(ref),
    versions: await listSiteVersions(app.serverDatabase),
  };
  return json(state);
}

function versionId(id: string): string {
  if (!UUID.test(id)) throw new NinefoldError('not_found', { message: 'The app has no version with this id.' });
  return id;
}

export const siteCalls: readonly AdminCall[] = [showSite, removeSite, beginSite, storeSite, publishSite];
