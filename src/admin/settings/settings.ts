import { z } from 'zod';
import type { SettingEntry } from '../../../contract/admin.ts';
import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { type AuthSecret, authSecrets, type SecretSetting } from '../../../contract/settings-auth.ts';
import type { App } from '../../apps/app.ts';
import { runAsServerRole } from '../../apps/run-as-server-role.ts';
import { isOutOfRange, isValidValue, settingsByKey, storedSettings } from '../../apps/settings.ts';
import { authorOfTransaction } from '../../apps/team/author.ts';
import { DatabaseError } from '../../database/database-error.ts';
import { firstJson, type Statement } from '../../database/statement.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { readBody } from '../body.ts';
import { callerName } from '../caller-name.ts';
import type { AdminContext, Caller } from '../context.ts';
import { openApp } from '../open-app.ts';
import { json, noContent } from '../router.ts';

/** Handles GET /apps/:ref/settings: returns every setting with its value, default and meaning, ordered by key. */
export async function listSettings(context: AdminContext, ref: string): Promise<Reply> {
  const app = await context.apps.get(ref);
  const [[result], secrets] = await Promise.all([
    runAsServerRole(app.serverDatabase, [storedSettings]),
    context.registry.secrets.names(ref),
  ]);
  const stored = (result && firstJson<Record<string, unknown>>(result)) ?? {};
  const defaults: Record<string, unknown> = { ...app.defaults.rest, ...app.defaults.auth, ...app.defaults.mail };
  const entries: SettingEntry[] = Object.entries(settingsByKey).map(([key, setting]) => {
    const isSet = Object.hasOwn(stored, key) && isValidValue(setting, stored[key]);
    const value = isSet ? stored[key] : defaults[key];
    const { type, values = null, meaning } = setting;
    return { key, value, is_set: isSet, is_secret: false, default: defaults[key], type, values, meaning };
  });
  for (const [key, { type, meaning }] of Object.entries(authSecrets)) {
    entries.push({
      key,
      value: null,
      is_set: secrets.has(key),
      is_secret: true,
      default: null,
      type,
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
  if (
    !isValidValue(setting, value) ||
    isOutOfRange(key, value) ||
    Buffer.byteLength(JSON.stringify(value)) > limits.settingBytes.default
  ) {
    throw new NinefoldError('setting_invalid', { details: { key, type: setting.type } });
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
    throw isUnstorable
      ? new NinefoldError('setting_invalid', { details: { key, type: setting.type }, cause: error })
      : error;
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
  const { item }: SecretSetting = authSecrets[key];
  const isText =
    typeof value === 'string' &&
    value !== '' &&
    Buffer.byteLength(value) <= limits.settingBytes.default &&
    (item?.test(value) ?? true);
  if (!isText && value !== null) {
    throw new NinefoldError('setting_invalid', { details: { key, type: authSecrets[key].type } });
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
  const setting = Object.hasOwn(settingsByKey, key) ? settingsByKey[key] : undefined;
  if (!setting) throw new NinefoldError('setting_unknown', { details: { key } });
  return setting;
}
