import { z } from 'zod';
import {
  type CreatedSpecificationLink,
  linkDays,
  SHARED_PATH,
  type SpecificationLinkRequest,
} from '../../../contract/specification-links.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../reply.ts';
import { uuidOf } from '../team/app-team.ts';

const listLinks = adminCall({
  route: 'GET /apps/:ref/specification/links',
  least: 'reader',
  summary: 'Returns the links by which readers without an account read the specification, newest first.',
  returns: 'SpecificationLink[]',
  handle: async ({ context, ref }) => {
    await context.apps.find(ref);
    return json(await context.registry.links.list(ref));
  },
});

const createLink = adminCall({
  route: 'POST /apps/:ref/specification/links',
  least: 'developer',
  audit: {
    action: 'specification_link_created',
    details: ({ version, days }) => ({ version: version ?? 'current', days: days ?? 'none' }),
  },
  summary:
    'Creates a link to `/shared/<secret>`, by which anyone can read the specification without an account: as HTML, or with `?format=md|json`. Only this response contains its address. The link stops working when its creator may no longer make links of the app.',
  returns: '201 CreatedSpecificationLink',
  errors: ['links_full', 'version_unknown'],
  body: z.strictObject({
    version: z.int().min(1).nullable(),
    days: z.literal([...linkDays]).nullable(),
  }) satisfies z.ZodType<SpecificationLinkRequest>,
  handle: async ({ context, caller, ref, body: { version, days } }) => {
    const app = await openApp(context, ref);
    if (version !== null && !(await context.versions.export(app, version, 'json', true))) {
      throw new NinefoldError('version_unknown', { details: { version } });
    }
    const createdBy = caller.kind === 'builder' ? caller.userId : null;
    const { id, secret, expiresAt } = await context.registry.links.create({ app: ref, version, days, createdBy });
    const url = `${context.origins.url}/${SHARED_PATH}/${secret}`;
    return json({ id, url, expires_at: expiresAt } satisfies CreatedSpecificationLink, 201);
  },
});

const withdrawLink = adminCall({
  route: 'DELETE /apps/:ref/specification/links/:id',
  least: 'developer',
  audit: { action: 'specification_link_withdrawn', details: (_, { id }) => ({ id }) },
  summary: 'Withdraws a link. It stops working at once.',
  errors: ['link_unknown'],
  handle: async ({ context, ref, id }) => {
    await context.apps.find(ref);
    await context.registry.links.withdraw(ref, uuidOf(id));
    return noContent();
  },
});

export const specificationLinkCalls: readonly AdminCall[] = [listLinks, createLink, withdrawLink];
