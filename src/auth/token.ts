import type { Exchange, Reply } from '../../contract/exchange.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { AuthContext } from './context.ts';
import { exchangeCode } from './exchange-code.ts';
import { refresh } from './refresh.ts';
import { signInWithWeb3 } from './sign-in-elsewhere.ts';
import { signInWithIdToken } from './sign-in-with-id-token.ts';
import { signInWithPassword } from './sign-in-with-password.ts';

/** POST /token: exchanges what `grant_type` names for a session (RFC 6749, section 4). */
export function token(context: AuthContext, exchange: Exchange): Promise<Reply> {
  switch (new URLSearchParams(exchange.query).get('grant_type')) {
    case 'password':
      return signInWithPassword(context, exchange);
    case 'refresh_token':
      return refresh(context, exchange);
    case 'pkce':
      return exchangeCode(context, exchange);
    case 'id_token':
      return signInWithIdToken(context, exchange);
    case 'web3':
      return signInWithWeb3();
    default:
      throw new NinefoldError('invalid_credentials', { message: 'unsupported_grant_type' });
  }
}
