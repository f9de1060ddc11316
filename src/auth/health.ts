import type { Reply } from '../../contract/exchange.ts';
import { json } from './reply.ts';

/** GET /health: says that the auth calls are answered, and by what. The version is not for strangers. */
export const health = (): Reply =>
  json({ name: 'Ninefold', description: 'Sign-in and sessions, as GoTrue answers them' });
