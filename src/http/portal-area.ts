import type { PortalApp } from '../../contract/portal.ts';
import { providerNames, providerTitles } from '../../contract/providers.ts';
import { listCustomProviders } from '../accounts/custom-providers.ts';
import type { App } from '../apps/app.ts';
import { asServer } from '../apps/as-server.ts';
import { firstJson, plain } from '../database/statement.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Area } from './area.ts';

/** `/portal/v1` of an app: the data that its pages for members need. */
export const portalArea: Area = {
  name: 'portal',
  handle: async (app, { method, path }) => {
    if (path !== '/app') throw new NinefoldError('not_found');
    if (method !== 'GET' && method !== 'HEAD') throw new NinefoldError('method_not_allowed');
    return {
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-cache' },
      body: method === 'HEAD' ? null : JSON.stringify(await portalApp(app)),
    };
  },
  renderError: async () => null,
};

interface Description {
  readonly name: string | null;
  readonly purpose: string | null;
  readonly audience: string | null;
}

async function portalApp(app: App): Promise<PortalApp> {
  const { record } = app;
  const [{ auth }, custom, [described]] = await Promise.all([
    app.settings(),
    listCustomProviders(app.database, null),
    asServer(app.database, [
      plain(
        `select json_build_object('name', a.name, 'purpose', a.purpose, 'audience', a.audience) from ninefold.app a`,
      ),
    ]),
  ]);
  const description = described && firstJson<Description>(described);
  return {
    ref: record.ref,
    name: description?.name ?? record.name,
    purpose: description?.purpose ?? null,
    audience: description?.audience ?? null,
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
  };
}
