import { z } from 'zod';
import type { VersionComparison } from '../../../contract/changes.ts';
import { limits } from '../../../contract/limits.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { type AdminCall, adminCall } from '../call.ts';
import { openApp } from '../open-app.ts';
import { json, jsonBytes } from '../reply.ts';

const before = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).nullable();

const listVersions = adminCall({
  route: 'GET /apps/:ref/versions',
  least: 'reader',
  summary:
    'Returns the recorded changes of the specification, newest first. `?before=` is a number and returns older ones.',
  returns: 'VersionList',
  query: ['before'],
  handle: async ({ context, ref, query }) => {
    const asked = before.safeParse(query.get('before'));
    if (!asked.success)
      throw new NinefoldError('validation_invalid', { message: 'before is the number of a version.' });
    return json(await context.versions.list(await openApp(context, ref), asked.data));
  },
});

const showVersion = adminCall({
  route: 'GET /apps/:ref/versions/:n',
  least: 'reader',
  summary:
    'Returns a version by its number, by at least twelve digits of its hash, or by a time (ISO 8601; a date means its first moment in UTC).',
  returns: 'VersionDetail',
  errors: ['version_unknown'],
  handle: async ({ context, ref, n: asked }) => {
    const point = pointOf(asked);
    const found = point && (await context.versions.page(await openApp(context, ref), point));
    if (!found) throw new NinefoldError('version_unknown', { details: { version: asked } });
    return jsonBytes(found);
  },
});

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

function pointOf(asked: string): { number: number } | { hash: string } | { at: string } | null {
  if (/^\d{1,11}$/.test(asked)) return { number: Number(asked) };
  if (/^[0-9a-f]{12,64}$/.test(asked)) return { hash: asked };
  // A time without a time zone is in UTC here, whatever the time zone of the server is.
  const text = DATE.test(asked) && asked.includes('T') && !/(Z|[+-]\d{2}:\d{2})$/.test(asked) ? `${asked}Z` : asked;
  const time = DATE.test(asked) ? new Date(text) : null;
  return time && !Number.isNaN(time.getTime()) ? { at: time.toISOString() } : null;
}

const number = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);

const compareVersions = adminCall({
  route: 'GET /apps/:ref/versions/:n/changes',
  least: 'reader',
  summary:
    'Returns the changes from version m to version n in words. If m is the later version, the changes are reversed.',
  returns: 'VersionComparison',
  errors: ['version_unknown'],
  query: ['since'],
  handle: async ({ context, ref, n: asked, query }) => {
    const to = number.safeParse(asked);
    const from = number.safeParse(query.get('since'));
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
  },
});

export const versionCalls: readonly AdminCall[] = [listVersions, showVersion, compareVersions];
