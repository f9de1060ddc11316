import type { CallRequest, Reply } from '../../contract/call-request.ts';
import type { PortalApp } from '../../contract/portal.ts';
import { providerNames, providerTitles } from '../../contract/providers.ts';
import { listCustomProviders } from '../accounts/providers/custom-providers.ts';
import type { App } from '../apps/app.ts';
import { runAsServerRole } from '../apps/run-as-server-role.ts';
import { matchesEntityTag } from '../calls/conditional.ts';
import { DatabaseError } from '../database/database-error.ts';
import { firstJson, plain } from '../database/statement.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import type { ApiHandler } from './api-handler.ts';
import { additionsReply } from './portal-additions.ts';
import { identifiedCaller, readScreens, type ScreensFor, screensCaller } from './portal-caller.ts';
import { figuresReply } from './portal-figures.ts';
import { notificationsReply } from './portal-notifications.ts';
import { rightsReply } from './portal-rights.ts';
import { sharedViewsReply } from './portal-shared-views.ts';
import { viewsReply } from './portal-views.ts';

/** Creates the handler of `/portal/v1`, which returns the data for the app's pages for members. */
export const portalApi = (screensFor: ScreensFor): ApiHandler => ({
  name: 'portal',
  handle: async (app, request, identify) => {
    if (request.path === '/views') return viewsReply(app, request, identify);
    if (request.path === '/shared-views') return sharedViewsReply(app, request, identify, screensFor);
    if (request.path === '/rights') return rightsReply(app, request, identify);
    if (request.path === '/additions') return additionsReply(app, request, identify);
    if (request.path.startsWith('/notifications')) return notificationsReply(app, request, identify);
    const answer = answers[request.path];
    if (!answer) throw new NinefoldError('not_found');
    if (request.method !== 'GET' && request.method !== 'HEAD') throw new NinefoldError('method_not_allowed');
    const reply = await answer(app, request, identify, screensFor);
    return request.method === 'HEAD' ? { ...reply, body: null } : reply;
  },
  renderError: async () => null,
});

type Answer = (
  app: App,
  request: CallRequest,
  identify: () => Promise<Identity>,
  screensFor: ScreensFor,
) => Promise<Reply>;

/** The calls that are only read, by their paths. */
const answers: Readonly<Partial<Record<string, Answer>>> = {
  '/app': appReply,
  '/screens': screensReply,
  '/figures': async (app, request, identify, screensFor) => {
    const identity = await identifiedCaller(identify);
    return figuresReply(app, request, identity, () => readScreens(app, identity, request, screensFor));
  },
};

const JSON_TYPE = 'application/json; charset=utf-8';

async function appReply(app: App): Promise<Reply> {
  return {
    status: 200,
    headers: { 'content-type': JSON_TYPE, 'cache-control': 'no-cache' },
    body: JSON.stringify(await portalApp(app)),
  };
}

async function screensReply(
  app: App,
  { headers, query }: CallRequest,
  identify: () => Promise<Identity>,
  screensFor: ScreensFor,
): Promise<Reply> {
  const identity = await identifiedCaller(identify);
  const { body, etag } = await screensFor(app, screensCaller(identity, query), headers['accept-language'] ?? null);
  const common = { etag, 'cache-control': 'private, no-cache', vary: 'Authorization, apikey, Accept-Language' };
  if (matchesEntityTag(headers['if-none-match'], etag)) return { status: 304, headers: common, body: null };
  return { status: 200, headers: { ...common, 'content-type': JSON_TYPE }, body };
}

interface Description {
  readonly name: string | null;
  readonly purpose: string | null;
  readonly audience: string | null;
  readonly accent: string | null;
  readonly logo: string | null;
  readonly notifies: boolean;
}

async function portalApp(app: App): Promise<PortalApp> {
  const { record } = app;
  const [{ auth }, site, custom, avatars, [described]] = await Promise.all([
    app.settings(),
    app.activeSite(),
    listCustomProviders(app.database, null),
    hasAvatars(app),
    runAsServerRole(app.serverDatabase, [
      plain(
        `select json_build_object('name', a.name, 'purpose', a.purpose, 'audience', a.audience,
          'accent', a.accent, 'logo', a.logo,
          'notifies', exists (select from ninefold.notification_rules))
        from (select) one left join ninefold.app a on true`,
      ),
    ]),
  ]);
  const description = described && firstJson<Description>(described);
  return {
    ref: record.ref,
    name: description?.name ?? record.name,
    purpose: description?.purpose ?? null,
    audience: description?.audience ?? null,
    accent: description?.accent ?? null,
    logo: description?.logo ?? null,
    publishable_key: record.publishableKey,
    email: auth.external_email_enabled,
    passkey: auth.passkey_enabled,
    providers: [
      ...providerNames
        .filter((name) => auth[`external_${name}_enabled`])
        .map((name) => ({ id: name, title: providerTitles[name] })),
      ...custom.filter(({ enabled }) => enabled).map(({ identifier, name }) => ({ id: identifier, title: name })),
    ],
    sign_up: !auth.disable_signup,
    autoconfirm: auth.mailer_autoconfirm,
    password_min_length: auth.password_min_length,
    code_digits: auth.mailer_otp_length,
    code_seconds: auth.mailer_otp_exp,
    totp: auth.mfa_totp_enroll_enabled && auth.mfa_totp_verify_enabled,
    linking: auth.security_manual_linking_enabled,
    applications: auth.oauth_server_enabled,
    avatars,
    notifies: description?.notifies ?? false,
    has_site: site !== null,
  };
}

/** Returns true if the app has a public bucket `avatars`. A database without a schema for files has none. */
async function hasAvatars(app: App): Promise<boolean> {
  try {
    const [, found] = await app.database.run([
      {
        text: `select pg_catalog.set_config('role', 'service_role', true), pg_catalog.set_config('search_path', '', true)`,
        params: [],
      },
      {
        text: `select pg_catalog.to_json(exists (select from storage.buckets b where b.id = 'avatars' and b.public))`,
        params: [],
        planKey: 'service_role',
      },
    ]);
    return found !== undefined && firstJson<boolean>(found) === true;
  } catch (error) {
    if (error instanceof DatabaseError) return false;
    throw error;
  }
}
