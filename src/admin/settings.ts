import { z } from 'zod';
import type { SettingEntry } from '../../contract/admin.ts';
import { allSettings } from '../../contract/all-settings.ts';
import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { limits } from '../../contract/limits.ts';
import { type SecretSetting, valueWords } from '../../contract/setting.ts';
import { type AuthSecret, authSecrets } from '../../contract/settings-auth.ts';
import type { App } from '../apps/app.ts';
import { runAsServerRole } from '../apps/run-as-server-role.ts';
import { hasKind, isValidValue, storedSettings } from '../apps/settings.ts';
import { authorOfTransaction } from '../apps/team/author.ts';
import { DatabaseError } from '../database/database-error.ts';
import { firstJson, type Statement } from '../database/statement.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { readBody } from './body.ts';
import { callerName } from './caller-name.ts';
import type { AdminContext, Caller } from './context.ts';
import { openApp } from './open-app.ts';
import { json, noContent } from './router.ts';

/** Handles GET /apps/:ref/settings: returns every setting with its value, default and meaning, ordered by key. */
export async function listSettings(context: AdminContext, ref: string): Promise<Reply> {
  const app = await context.apps.get(ref);
  const [[result], secrets] = await Promise.all([
    runAsServerRole(app.serverDatabase, [storedSettings]),
    context.registry.secrets.names(ref),
  ]);
  const stored = (result && firstJson<Record<string, unknown>>(result)) ?? {};
  const defaults: Record<string, unknown> = { ...app.defaults.rest, ...app.defaults.auth, ...app.defaults.mail };
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
}

/**
 * Handles GET /apps/:ref/redirects?address=: returns whether a sign-in may redirect to the address, and which entry of
 * uri_allow_list allows it (`RedirectDecision`).
 * @throws `validation_invalid` without an address
 */
export async function checkRedirect(context: AdminContext, request: CallRequest, ref: string): Promise<Reply> {
  const address = new URLSearchParams(request.query).get('address');
  if (!address) throw new NinefoldError('validation_invalid', { message: 'The query needs an address.' });
  return json(await context.decideRedirect(await openApp(context, ref), address));
}

const isSecret = (key: string): key is AuthSecret => Object.hasOwn(authSecrets, key);

const body = z.strictObject({ value: z.unknown() });

/**
 * Handles PUT /apps/:ref/settings/:key: sets a setting on every worker at once. The response for a secret has no value.
 * @throws `setting_unknown`, `setting_invalid`
 */
export async function setSetting(
  context: AdminContext,
  caller: Caller,
  request: CallRequest,
  ref: string,
  key: string,
): Promise<Reply> {
  if (isSecret(key)) return setSecret(context, caller, request, ref, key);
  const setting = findSetting(key);
  const { value } = readBody(request, body);
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
}

async function setSecret(
  context: AdminContext,
  caller: Caller,
  request: CallRequest,
  ref: string,
  key: AuthSecret,
): Promise<Reply> {
  const { value } = readBody(request, body);
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

/**
 * Handles DELETE /apps/:ref/settings/:key: resets a setting to its default.
 * @throws `setting_unknown`
 */
export async function unsetSetting(context: AdminContext, caller: Caller, ref: string, key: string): Promise<Reply> {
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
}

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

function findSetting(key: string) {
  const setting = Object.hasOwn(allSettings, key) ? allSettings[key] : undefined;
  if (!setting) throw new NinefoldError('setting_unknown', { details: { key } });
  return setting;
}
