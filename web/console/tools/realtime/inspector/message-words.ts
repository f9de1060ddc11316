import type { SocketMessage } from './channel-socket.ts';

/** A line of the inspector. */
export interface FrameWords {
  title: string;
  detail: string;
  isRefusal: boolean;
}

/** Returns a message of the channel in words; null for one that says nothing to a reader. Pure. */
export function messageWords({ event, payload }: SocketMessage): FrameWords | null {
  const line = (title: string, detail: unknown, isRefusal = false): FrameWords => ({
    title,
    detail: typeof detail === 'string' ? detail : JSON.stringify(detail, null, 1),
    isRefusal,
  });
  switch (event) {
    case 'broadcast':
      return line(`broadcast ${String(payload.event)}`, payload.payload ?? {});
    case 'postgres_changes': {
      const data = (payload.data ?? {}) as Record<string, unknown>;
      const row = data.type === 'DELETE' ? data.old_record : data.record;
      return line(`${String(data.type).toLowerCase()} ${String(data.table)}`, row ?? {});
    }
    case 'presence_state': {
      const keys = Object.keys(payload);
      return keys.length === 0 ? null : line('is here', keys.join(', '));
    }
    case 'presence_diff': {
      const { joins = {}, leaves = {} } = payload as { joins?: object; leaves?: object };
      const words = [
        ...Object.keys(joins).map((key) => `${key} came`),
        ...Object.keys(leaves).map((key) => `${key} left`),
      ];
      return line('presence', words.join(', '));
    }
    case 'system':
      return line(String(payload.extension ?? 'system'), String(payload.message ?? ''), payload.status === 'error');
    case 'phx_reply': {
      const { reason } = (payload.response ?? {}) as { reason?: unknown };
      return payload.status === 'ok' ? null : line('refused', String(reason ?? 'no reason'), true);
    }
    default:
      return line(event, payload);
  }
}
