import { join } from 'node:path';
import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AppConnection } from '../../contract/admin.ts';
import { createApp, runSql } from '../support/apps.ts';
import { clone } from '../support/clone.ts';
import { uniqueEmail } from '../support/unique.ts';
import { type Console, openConsole } from './console.ts';

/** The stock client on a page of an app's own origin, with a virtual authenticator (CDP, domain WebAuthn). */
declare global {
  interface Window {
    supabase: { createClient(url: string, key: string): SupabaseClient };
    client: SupabaseClient;
  }
}

let site: Console;
let app: AppConnection;
let origin: string;
beforeAll(async () => {
  site = await openConsole();
  app = await createApp(site.node);
  origin = `http://${app.ref}.localhost:${new URL(site.node.url).port}`;
  await runSql(
    site.node,
    app.ref,
    `create domain public."*/*" as bytea;
     create function public.page() returns "*/*" language sql stable as $f$
       select set_config('response.headers', '[{"Content-Type":"text/html"}]', true);
       select convert_to('<!doctype html><title>shop</title>', 'utf8')::"*/*" $f$;`,
  );
});
afterAll(() => site.close());

/** Opens a page with a virtual authenticator: `internal` is built into the device, `usb` is a security key. */
async function openShop(transport: 'internal' | 'usb') {
  const { page, context } = await site.visit('/', { signedIn: false });
  const devices = await context.newCDPSession(page);
  await devices.send('WebAuthn.enable');
  await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto(`${origin}/rest/v1/rpc/page`);
  await page.addScriptTag({ path: join(clone, 'node_modules/@supabase/supabase-js/dist/umd/supabase.js') });
  await page.evaluate(
    ([url = '', key = '']) => {
      window.client = window.supabase.createClient(url, key);
    },
    [origin, app.publishable_key],
  );
  return page;
}

it('a member registers a passkey with the stock client and signs in with it without a name', async () => {
  const page = await openShop('internal');
  const email = uniqueEmail();
  const result = await page.evaluate(async (address) => {
    const { auth } = window.client;
    const signedUp = await auth.signUp({ email: address, password: 'correct horse battery' });
    const registered = await auth.registerPasskey();
    await auth.signOut();
    const signedIn = await auth.signInWithPasskey();
    const listed = await auth.passkey.list();
    return {
      errors: [signedUp.error, registered.error, signedIn.error, listed.error].map((error) => error?.message ?? null),
      email: signedIn.data?.user?.email,
      passkeys: listed.data?.length,
      amr: JSON.parse(atob(signedIn.data?.session?.access_token.split('.')[1] ?? '')).amr,
    };
  }, email);
  expect(result).toEqual({
    errors: [null, null, null, null],
    email,
    passkeys: 1,
    amr: [{ method: 'passkey', timestamp: expect.any(Number) }],
  });
});

it('a member adds a security key as a second factor and raises the next session to aal2 with it', async () => {
  const page = await openShop('usb');
  const email = uniqueEmail();
  const result = await page.evaluate(async (address) => {
    const { auth } = window.client;
    const credentials = { email: address, password: 'correct horse battery' };
    await auth.signUp(credentials);
    const added = await auth.mfa.webauthn.register({ friendlyName: 'My key' });
    await auth.signOut();
    await auth.signInWithPassword(credentials);
    const before = await auth.mfa.getAuthenticatorAssuranceLevel();
    const { data: factors } = await auth.mfa.listFactors();
    const raised = await auth.mfa.webauthn.authenticate({ factorId: factors?.webauthn[0]?.id ?? '' });
    const after = await auth.mfa.getAuthenticatorAssuranceLevel();
    return {
      errors: [added.error, raised.error].map((error) => error?.message ?? null),
      levels: [before.data?.currentLevel, before.data?.nextLevel, after.data?.currentLevel],
    };
  }, email);
  expect(result).toEqual({ errors: [null, null], levels: ['aal1', 'aal2', 'aal2'] });
});
