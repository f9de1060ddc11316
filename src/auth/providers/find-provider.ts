import { type ProviderName, providerNames, providerTitles } from '../../../contract/providers.ts';
import { findCustomProvider } from '../../accounts/providers/custom-providers.ts';
import type { AuthContext } from '../context.ts';
import { signInBase } from './browser-binding.ts';
import { customProvider } from './custom-provider.ts';
import { type Provider, providerTable } from './provider-table.ts';

/** The error that a provider cannot be used, with GoTrue's message. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';
  readonly reason: 'unknown' | 'disabled' | 'incomplete';

  constructor(reason: ProviderUnavailable['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Returns the callback address for providers. It does not depend on the request's Host. */
export const callbackUrl = (context: Pick<AuthContext, 'app' | 'origins'>): string =>
  `${signInBase(context)}/auth/v1/callback`;

/**
 * Returns a provider that the app has enabled.
 * @throws ProviderUnavailable
 */
export async function findProvider(context: AuthContext, asked: string): Promise<Provider> {
  const name = asked.toLowerCase();
  if (name.startsWith('custom:')) {
    const row = await findCustomProvider(context.database, name);
    if (row === null) throw new ProviderUnavailable('unknown', `custom provider ${name} not found`);
    if (!row.enabled) throw new ProviderUnavailable('disabled', `custom provider ${name} is disabled`);
    return customProvider(row, callbackUrl(context), context.nodeKey());
  }
  const known = providerNames.find((one) => one === name);
  if (known === undefined) throw new ProviderUnavailable('unknown', `Provider ${name} could not be found`);
  return builtIn(context, known);
}

function builtIn(context: AuthContext, name: ProviderName): Provider {
  const { settings } = context;
  if (!settings[`external_${name}_enabled`]) throw new ProviderUnavailable('disabled', 'provider is not enabled');
  const ids = (settings[`external_${name}_client_id`] ?? '').split(',').map((id) => id.trim());
  const [first, ...others] = ids.filter((id) => id !== '');
  if (first === undefined) throw new ProviderUnavailable('incomplete', 'missing OAuth client ID');
  const entry = providerTable[name];
  return {
    name,
    title: providerTitles[name],
    entry,
    url: settings[`external_${name}_url`]?.replace(/\/+$/, '') || null,
    clientIds: [first, ...others],
    secret: context.secrets[`external_${name}_secret`] ?? null,
    redirectUri: settings[`external_${name}_redirect_uri`] ?? callbackUrl(context),
    isEmailOptional: settings[`external_${name}_email_optional`],
    skipsNonce: settings[`external_${name}_skip_nonce_check`],
    usesPkce: true,
    parameters: {},
  };
}
