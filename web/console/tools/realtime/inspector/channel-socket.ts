import { socketAddress } from '../../../../rows/live-socket.ts';
import { segment } from '../../../queries/api.ts';

/** A message on the socket, in the form of version 1.0.0 of the protocol. */
export interface SocketMessage {
  topic: string;
  event: string;
  payload: Record<string, unknown>;
  ref: string | null;
}

export interface ChannelEvents {
  /** Called with the reason of a refusal, or null when the channel is joined. */
  onJoined: (refusal: string | null) => void;
  onMessage: (message: SocketMessage) => void;
  /** Called with the reason when the channel or its socket has ended. */
  onEnded: (reason: string) => void;
}

export interface ChannelJoin {
  topic: string;
  /** True for a private channel. */
  isPrivate: boolean;
  /** Entries of postgres_changes. */
  changes: readonly { event: string; schema: string; table: string }[];
  /** Names whom the builder acts as: an acting token or `anon`; null for the service key. */
  accessToken: string | null;
}

const HEARTBEAT_MILLISECONDS = 25_000;

/** A channel of the app that the builder joins with a socket of its own. */
export class ChannelSocket {
  readonly #ws: WebSocket;
  readonly #topic: string;
  readonly #heartbeat: ReturnType<typeof setInterval>;
  #ref = 0;
  #hasEnded = false;

  constructor(ref: string, join: ChannelJoin, events: ChannelEvents) {
    this.#topic = `realtime:${join.topic}`;
    this.#ws = new WebSocket(`${socketAddress(`/admin/v1/apps/${segment(ref)}`)}?vsn=1.0.0`);
    this.#ws.onopen = () => this.#join(join);
    const end = (reason: string) => {
      if (this.#hasEnded) return;
      this.#hasEnded = true;
      clearInterval(this.#heartbeat);
      events.onEnded(reason);
    };
    this.#ws.onmessage = ({ data }) => {
      if (this.#hasEnded) return;
      const message = JSON.parse(String(data)) as SocketMessage;
      if (message.topic !== this.#topic) return;
      if (message.event === 'phx_reply' && message.ref === '1') events.onJoined(refusalOf(message));
      else if (message.event === 'phx_close') end('The server ended the channel.');
      else events.onMessage(message);
    };
    this.#ws.onclose = ({ reason }) => end(reason || 'The connection ended.');
    this.#heartbeat = setInterval(() => this.#send('phoenix', 'heartbeat', {}), HEARTBEAT_MILLISECONDS);
  }

  /** Sends a broadcast to the channel. */
  broadcast(event: string, payload: unknown): void {
    this.#send(this.#topic, 'broadcast', { type: 'broadcast', event, payload });
  }

  close(): void {
    this.#hasEnded = true;
    clearInterval(this.#heartbeat);
    this.#ws.close();
  }

  #join({ isPrivate, changes, accessToken }: ChannelJoin): void {
    this.#send(this.#topic, 'phx_join', {
      config: {
        private: isPrivate,
        broadcast: { self: true, ack: true },
        presence: { enabled: true, key: '' },
        postgres_changes: changes,
      },
      ...(accessToken !== null && { access_token: accessToken }),
    });
  }

  #send(topic: string, event: string, payload: unknown): void {
    if (this.#ws.readyState !== WebSocket.OPEN) return;
    this.#ref++;
    const ref = String(this.#ref);
    this.#ws.send(JSON.stringify({ topic, event, payload, ref, join_ref: topic === 'phoenix' ? null : '1' }));
  }
}

function refusalOf({ payload }: SocketMessage): string | null {
  if (payload.status === 'ok') return null;
  const { reason } = (payload.response ?? {}) as { reason?: unknown };
  return typeof reason === 'string' ? reason : 'The server gave no reason.';
}
