import { z } from 'zod';
import type { VersionComparison } from '../../contract/changes.ts';
import type { Exchange, Reply } from '../../contract/exchange.ts';
import { limits } from '../../contract/limits.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { AdminContext } from './context.ts';
import { openApp } from './open-app.ts';
import { json } from './router.ts';

const number = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

/**
 * GET /apps/:ref/versions/:n/changes?since=m: what changed from version m to version n, in words; backwards where m is the later one.
 * Throws `validation_invalid`, `version_unknown`.
 */
export async function compareVersions(
  context: AdminContext,
  exchange: Exchange,
  ref: string,
  asked: string,
): Promise<Reply> {
  const to = number.safeParse(asked);
  const from = number.safeParse(new URLSearchParams(exchange.query).get('since'));
  if (!to.success || !from.success) {
    throw new NinefoldError('validation_invalid', { message: 'A version and since are numbers of versions.' });
  }
  const app = await openApp(context, ref);
  const changes = await context.versions.compare(app, from.data, to.data);
  if ('missing' in changes) throw new NinefoldError('version_unknown', { details: { version: changes.missing } });
  const answer: VersionComparison = {
    from: from.data,
    to: to.data,
    changes: changes.slice(0, limits.versionChanges.default),
    change_count: changes.length,
  };
  return json(answer);
}
