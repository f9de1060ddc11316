import type { Reply } from '../../contract/exchange.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { json } from './reply.ts';

/** GET /health: says that the auth calls are answered, and by what. */
export const health = (): Reply =>
  json({ name: 'Ninefold', version: packageJson.version, description: 'Sign-in and sessions, as GoTrue answers them' });
