import type { Exchange, Reply } from '../../contract/exchange.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { AuthContext } from './context.ts';
import { refresh } from './refresh.ts';
import { signInWithPassword } from './sign-in-with-password.ts';

/** POST /token: exchanges what `grant_type` names for a session (RFC 6749, section 4). */
export function token(context: AuthContext, exchange: Exchange): Promise<Reply> {
  switch (new URLSearchParams(exchange.query).get('grant_type')) {
    case 'password':
      return signInWithPassword(context, exchange);
    case 'refresh_token':
      return refresh(context, exchange);
    default:
      throw new NinefoldError('invalid_credentials', { message: 'unsupported_grant_type' });
  }
}
