import { AuthClient, type GoTrueClient } from '@supabase/auth-js';
import { createContext, use } from 'react';
import type { PortalApp } from '../../../contract/portal.ts';
import { t } from '../../language/messages.ts';
import { NameBatch } from './name-batch.ts';
import { fetchWithWait } from './waiting-time.ts';

/** The app, the client with the member's session, and a client that requests mails. */
export interface Portal {
  app: PortalApp;
  auth: GoTrueClient;
  /**
   * Client that requests mails. It uses the implicit flow, so that a link in a mail opens on any device. The page that
   * the link opens asks the member before it uses the session of the link. Otherwise a link from an attacker could sign
   * the member in to the attacker's account.
   */
  mails: GoTrueClient;
  /** True if elements of the pages may load links of the app's origin. In a preview, they get bytes instead. */
  embedsLinks: boolean;
  /** The names of members that the pages read. */
  names: NameBatch;
}

/** Creates the clients of an app. They send their requests to the origin of the page. */
export function makePortal(app: PortalApp, { embedsLinks = true } = {}): Portal {
  const url = `${location.origin}/auth/v1`;
  // The default of supabase-js on this origin, so that a front end of the app's own finds the session.
  const storageKey = `sb-${location.hostname.split('.')[0]}-auth-token`;
  const headers = { apikey: app.publishable_key };
  const experimental = { passkey: true, recoveryCodes: true };
  const common = { url, headers, fetch: fetchWithWait, detectSessionInUrl: false };
  return {
    ...{ app, embedsLinks },
    names: new NameBatch(),
    auth: new AuthClient({ ...common, experimental, storageKey, flowType: 'pkce' }),
    mails: new AuthClient({
      ...{ ...common, storageKey: `${storageKey}-mails`, flowType: 'implicit' },
      ...{ persistSession: false, autoRefreshToken: false },
    }),
  };
}

/** The reason why the pages cannot be shown. `isMissing` is true if there is no app at the address. */
export class StartError extends Error {
  readonly isMissing: boolean;
  constructor(message: string, isMissing: boolean) {
    super(message);
    this.isMissing = isMissing;
  }
}

/**
 * Reads the public data of the app. Throws a StartError whose message is written for the member.
 *
 * @param language Resolves when the messages of the member's language are loaded, so that the message of an error is
 * in this language.
 */
export async function readApp(language: Promise<void>): Promise<PortalApp> {
  const response = await fetch('/portal/v1/app').catch(() => null);
  await language;
  if (!response) throw new StartError(t('unreachable'), false);
  if (response.status === 404) throw new StartError(t('noApp'), true);
  if (!response.ok) throw new StartError(t('appDown'), false);
  return response.json();
}

/** Context with the app and its clients. */
export const PortalContext = createContext<Portal | null>(null);

/** Returns the app and its clients. */
export function usePortal(): Portal {
  const portal = use(PortalContext);
  if (!portal) throw new Error('usePortal needs a PortalContext above it.');
  return portal;
}
