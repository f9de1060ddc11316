import { z } from 'zod';
import type { SettingEntry } from '../../../contract/admin.ts';
import { allSettings } from '../../../contract/all-settings.ts';
import type { Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { type SecretSetting, valueWords } from '../../../contract/setting.ts';
import { type AuthSecret, authSecrets } from '../../../contract/settings-auth.ts';
import type { App } from '../../apps/app.ts';
import { runAsServerRole } from '../../apps/run-as-server-role.ts';
import { hasKind, isValidValue, storedSettings } from '../../apps/settings.ts';
import { authorOfTransaction } from '../../apps/team/author.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { firstJson, type Statement } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type AdminCall, type AuditDetails, adminCall } from '../call.ts';
import { callerName } from '../caller-name.ts';
import type { AdminContext, Caller } from '../context.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../reply.ts';

const listSettings = adminCall({
  route: 'GET /apps/:ref/settings',
  least: 'reader',
  summary: 'Returns every setting with its value, default and meaning, ordered by key.',
  returns: 'SettingEntry[]',
  handle: async ({ context, ref }) => {
    const app = await context.apps.get(ref);
    const [[result], secrets] = await Promise.all([
      runAsServerRole(app.serverDatabase, [storedSettings]),
      context.registry.secrets.names(ref),
    ]);
    const stored = (result && firstJson<Record<string, unknown>>(result)) ?? {};
    const defaults: Record<string, unknown> = Object.assign({}, ...Object.values(app.defaults));
    const entries: SettingEntry[] = Object.entries(allSettings).map(([key, setting]) => {
      const isSet = Object.hasOwn(stored, key) && hasKind(setting, stored[key]);
      const value = isSet ? stored[key] : defaults[key];
      const values = setting.kind === 'choice' ? setting.values : null;
      const words = { type: valueWords(setting), values, meaning: setting.meaning };
      return { key, value, is_set: isSet, is_secret: false, default: defaults[key], ...words };
    });
    for (const [key, { format, meaning }] of Object.entries(authSecrets)) {
      entries.push({
        key,
        value: null,
        is_set: secrets.has(key),
        is_secret: true,
        default: null,
        type: format,
        values: null,
        meaning,
      });
    }
    return json(entries.sort((a, b) => (a.key < b.key ? -1 : 1)));
  },
});

const checkRedirect = adminCall({
  route: 'GET /apps/:ref/redirects',
  least: 'reader',
  summary: 'Returns whether a sign-in may redirect to the address, and which entry of uri_allow_list allows it.',
  returns: 'RedirectDecision',
  query: ['address'],
  handle: async ({ context, ref, query }) => {
    const address = query.get('address');
    if (!address) throw new NinefoldError('validation_invalid', { message: 'The query needs an address.' });
    return json(await context.decideRedirect(await openApp(context, ref), address));
  },
});

const checkProvider = adminCall({
  route: 'POST /apps/:ref/providers/:name/check',
  least: 'developer',
  summary: 'Checks the client id and the secret of a sign-in provider at the provider. Nobody is signed in.',
  returns: 'ProviderCheck',
  handle: async ({ context, ref, name }) => json(await context.checkProvider(await openApp(context, ref), name)),
});

const isSecret = (key: string): key is AuthSecret => Object.hasOwn(authSecrets, key);

const secretSettings = { only: 'secret settings', applies: ({ key }: { readonly key: string }) => isSecret(key) };

const setSetting = adminCall({
  route: 'PUT /apps/:ref/settings/:key',
  least: 'developer',
  sensitive: { does: 'change a secret setting', ...secretSettings },
  audit: {
    action: 'setting_changed',
    before: valueBefore,
    details: ({ value }, { key }) => (isSecret(key) ? { key, changed: true } : { key, after: JSON.stringify(value) }),
  },
  summary: 'Sets a setting on every worker at once. The response for a secret has no value.',
  returns: '{key, value}',
  errors: ['setting_unknown', 'setting_invalid'],
  requires: ({ key }) => isSecret(key) || findSetting(key),
  body: z.strictObject({ value: z.unknown() }),
  handle: async ({ context, caller, ref, key, body: { value } }) => {
    if (isSecret(key)) return setSecret(context, caller, ref, key, value);
    const setting = findSetting(key);
    const details = { key, type: valueWords(setting) };
    if (!isValidValue(setting, value) || Buffer.byteLength(JSON.stringify(value)) > limits.settingBytes.default) {
      throw new NinefoldError('setting_invalid', { details });
    }
    const app = await context.apps.get(ref);
    const stored = change(context, caller, app, (who) => ({
      text: `insert into ninefold.settings (key, value, set_by) values ($1, $2::jsonb, $3)
           on conflict (key) do update set value = excluded.value, set_at = now(), set_by = excluded.set_by`,
      params: [key, JSON.stringify(value), who],
    }));
    await stored.catch((error: unknown) => {
      // JSON can contain texts that jsonb cannot store, such as a text with a NUL character. PostgreSQL's error then
      // means an invalid value.
      const isUnstorable = error instanceof DatabaseError && error.sqlstate.startsWith('22');
      throw isUnstorable ? new NinefoldError('setting_invalid', { details, cause: error }) : error;
    });
    return json({ key, value });
  },
});

async function setSecret(
  context: AdminContext,
  caller: Caller,
  ref: string,
  key: AuthSecret,
  value: unknown,
): Promise<Reply> {
  const { pattern, format }: SecretSetting = authSecrets[key];
  const isText =
    typeof value === 'string' &&
    value !== '' &&
    Buffer.byteLength(value) <= limits.settingBytes.default &&
    (pattern?.test(value) ?? true);
  if (!isText && value !== null) {
    throw new NinefoldError('setting_invalid', { details: { key, type: format } });
  }
  const { record } = await context.apps.get(ref);
  await context.registry.secrets.write(record.ref, key, isText ? value : null, await callerName(context, caller));
  return json({ key, value: null });
}

const unsetSetting = adminCall({
  route: 'DELETE /apps/:ref/settings/:key',
  least: 'developer',
  sensitive: { does: 'delete a secret setting', ...secretSettings },
  audit: { action: 'setting_reset', before: valueBefore, details: (_, { key }) => ({ key }) },
  summary: 'Resets a setting to its default.',
  errors: ['setting_unknown'],
  handle: async ({ context, caller, ref, key }) => {
    if (isSecret(key)) {
      const { record } = await context.apps.get(ref);
      await context.registry.secrets.write(record.ref, key, null, await callerName(context, caller));
      return noContent();
    }
    findSetting(key);
    const app = await context.apps.get(ref);
    await change(context, caller, app, () => ({
      text: 'delete from ninefold.settings where key = $1',
      params: [key],
    }));
    return noContent();
  },
});

/**
 * Changes settings on behalf of the caller. The statement runs as the server role, because the app's own SQL could name
 * another author.
 */
async function change(
  context: AdminContext,
  caller: Caller,
  { serverDatabase }: Pick<App, 'serverDatabase'>,
  statement: (who: string) => Statement,
): Promise<void> {
  const who = await callerName(context, caller);
  await runAsServerRole(serverDatabase, [authorOfTransaction(who), statement(who)]);
}

/**
 * Returns the value of a setting before a call changes it. Returns no value for a secret, or if the app cannot be
 * opened.
 */
async function valueBefore({
  context,
  ref,
  key,
}: {
  readonly context: AdminContext;
  readonly ref: string;
  readonly key: string;
}): Promise<AuditDetails> {
  if (isSecret(key)) return {};
  const settings = await context.apps.get(ref).then(
    (app) => app.settings(),
    () => null,
  );
  const values: Readonly<Record<string, unknown>> = { ...settings?.rest, ...settings?.auth, ...settings?.mail };
  return Object.hasOwn(values, key) ? { before: JSON.stringify(values[key]) } : {};
}

function findSetting(key: string) {
  const setting = Object.hasOwn(allSettings, key) ? allSettings[key] : undefined;
  if (!setting) throw new NinefoldError('setting_unknown', { details: { key } });
  return setting;
}

export const settingCalls: readonly AdminCall[] = [
  listSettings,
  setSetting,
  unsetSetting,
  checkRedirect,
  checkProvider,
];
