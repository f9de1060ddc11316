import { z } from 'zod';
import type { Exchange, Reply } from '../../contract/exchange.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { AdminContext } from './context.ts';
import { openApp } from './open-app.ts';
import { json, jsonBytes } from './router.ts';

const before = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).nullable();

/** GET /apps/:ref/versions: what changed in what the app does, the latest first; `?before=` a number for older ones. */
export async function listVersions(context: AdminContext, exchange: Exchange, ref: string): Promise<Reply> {
  const asked = before.safeParse(new URLSearchParams(exchange.query).get('before'));
  if (!asked.success) throw new NinefoldError('validation_invalid', { message: 'before is the number of a version.' });
  return json(await context.versions.list(await openApp(context, ref), asked.data));
}

/**
 * GET /apps/:ref/versions/:n: a version by its number, by the first twelve or more digits of its hash, or the one that stood at a time
 * (ISO 8601; a date is its first moment, UTC). Throws `version_unknown`.
 */
export async function showVersion(context: AdminContext, ref: string, asked: string): Promise<Reply> {
  const point = pointOf(asked);
  const found = point && (await context.versions.page(await openApp(context, ref), point));
  if (!found) throw new NinefoldError('version_unknown', { details: { version: asked } });
  return jsonBytes(found);
}

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

function pointOf(asked: string): { number: number } | { hash: string } | { at: string } | null {
  if (/^\d{1,11}$/.test(asked)) return { number: Number(asked) };
  if (/^[0-9a-f]{12,64}$/.test(asked)) return { hash: asked };
  // Without a zone a time is UTC here, whatever the zone of the server.
  const text = DATE.test(asked) && asked.includes('T') && !/(Z|[+-]\d{2}:\d{2})$/.test(asked) ? `${asked}Z` : asked;
  const time = DATE.test(asked) ? new Date(text) : null;
  return time && !Number.isNaN(time.getTime()) ? { at: time.toISOString() } : null;
}
