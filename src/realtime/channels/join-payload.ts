import { limits } from '../../../contract/limits.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { ChangeRequest } from '../changes/change-feed.ts';
import { isObject } from '../socket/frames.ts';

/** The options of a join. */
export interface JoinOptions {
  readonly isPrivate: boolean;
  readonly acknowledges: boolean;
  /** True if the channel gets its own broadcasts. */
  readonly getsOwn: boolean;
  /** The messages to send again; null for none. Its fields are checked where they are read. */
  readonly replay: Readonly<Record<string, unknown>> | null;
  readonly presence: { readonly isEnabled: boolean; readonly key: string };
  readonly changes: readonly ChangeRequest[];
  /** The entries of `postgres_changes` with their ids, as the client sent them. */
  readonly entries: readonly Readonly<Record<string, unknown>>[];
  readonly accessToken: string | null;
}

const events: ReadonlySet<unknown> = new Set(['INSERT', 'UPDATE', 'DELETE', '*']);

/**
 * Reads the payload of `phx_join`.
 * @throws NinefoldError InvalidJoinPayload
 */
export function readJoin(payload: Readonly<Record<string, unknown>>): JoinOptions {
  const config = objectOf(payload.config, 'config');
  const broadcast = objectOf(config.broadcast, 'config.broadcast');
  const presence = objectOf(config.presence, 'config.presence');
  const entries = changesOf(config.postgres_changes);
  const token = payload.access_token ?? payload.user_token ?? null;
  if (token !== null && typeof token !== 'string') throw invalid('access_token', 'a text');
  const { replay } = broadcast;
  return {
    isPrivate: booleanOf(config.private, 'config.private'),
    acknowledges: booleanOf(broadcast.ack, 'config.broadcast.ack'),
    getsOwn: booleanOf(broadcast.self, 'config.broadcast.self'),
    replay: replay === undefined || replay === null ? null : objectOf(replay, 'config.broadcast.replay'),
    presence: {
      isEnabled: booleanOf(presence.enabled, 'config.presence.enabled'),
      key: textOf(presence.key ?? '', 'config.presence.key'),
    },
    changes: entries.map(toRequest),
    entries: entries.map((entry, i) => ({ ...entry, id: i + 1 })),
    accessToken: token,
  };
}

function changesOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid('config.postgres_changes', 'a list');
  const max = limits.realtimeChangesPerChannel.default;
  if (value.length > max) throw invalid('config.postgres_changes', `a list of at most ${max} entries`);
  return value.filter((each) => each !== null).map((each, i) => objectOf(each, `config.postgres_changes.${i}`));
}

function toRequest(entry: Readonly<Record<string, unknown>>, i: number): ChangeRequest {
  const field = (name: string) => `config.postgres_changes.${i}.${name}`;
  const event = typeof entry.event === 'string' ? entry.event.toUpperCase() : '*';
  if (!events.has(event)) throw invalid(field('event'), 'INSERT, UPDATE, DELETE or *');
  const { filter, select } = entry;
  if (select !== undefined && select !== null && !(Array.isArray(select) && select.every(isText))) {
    throw invalid(field('select'), 'a list of columns');
  }
  return {
    id: i + 1,
    event: event as ChangeRequest['event'],
    schema: textOf(entry.schema ?? 'public', field('schema')),
    table: textOf(entry.table ?? '*', field('table')),
    filter: filter === undefined || filter === null || filter === '' ? null : textOf(filter, field('filter')),
    select: Array.isArray(select) ? select : null,
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';

function objectOf(value: unknown, field: string): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw invalid(field, 'an object');
  return value;
}

/** Clients of other languages send booleans as text. */
function booleanOf(value: unknown, field: string): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  throw invalid(field, 'true or false');
}

function textOf(value: unknown, field: string): string {
  const isFilter = field.endsWith('.filter');
  const longest = (isFilter ? limits.realtimeFilterCharacters : limits.realtimeTopicCharacters).default;
  if (isText(value) && value.length <= longest) return value;
  throw invalid(field, `a text of at most ${longest} characters`);
}

const invalid = (field: string, expected: string): NinefoldError =>
  new NinefoldError('InvalidJoinPayload', { message: `${field} must be ${expected}.` });
