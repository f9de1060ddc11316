import { t } from '../../language/messages.ts';
/** The result of a sign-in that a mail or a provider adds to the address of the app. */
export type Arrival =
  | { kind: 'code'; code: string }
  | { kind: 'session'; access_token: string; refresh_token: string; type: string | null; email: string | null }
  | { kind: 'error'; words: string };

/** Reads what GoTrue has written into the fragment and the query of the address. */
export function readArrival(hash: string, search: string): Arrival {
  const fragment = new URLSearchParams(hash.replace(/^#/, ''));
  const query = new URLSearchParams(search);
  const said = fragment.get('error_description') ?? query.get('error_description');
  if (said !== null) return { kind: 'error', words: /[.!?]$/.test(said) ? said : `${said}.` };
  const [access_token, refresh_token] = [fragment.get('access_token'), fragment.get('refresh_token')];
  if (access_token && refresh_token) {
    const email = emailOf(access_token);
    return { kind: 'session', access_token, refresh_token, type: fragment.get('type'), email };
  }
  const code = query.get('code');
  return code ? { kind: 'code', code } : { kind: 'error', words: fragment.get('message') ?? t('linkUnknown') };
}

/** Reads the e-mail address of the account from an access token. It is only shown; the server checks the token. */
function emailOf(token: string): string | null {
  try {
    const payload = token.split('.')[1]?.replace(/-/g, '+').replace(/_/g, '/') ?? '';
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
    const { email } = JSON.parse(new TextDecoder().decode(bytes));
    return typeof email === 'string' && email !== '' ? email : null;
  } catch {
    return null;
  }
}
