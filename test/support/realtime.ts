import { createClient, type RealtimeChannel, type SupabaseClient } from '@supabase/supabase-js';
import WebSocket from 'ws';
import type { AppConnection } from '../../contract/admin.ts';

/** Returns a stock client with the app's publishable key, whose socket works on every version of Node.js. */
export const realtimeClient = (app: AppConnection, key = app.publishable_key, vsn?: string): SupabaseClient =>
  createClient(app.url, key ?? '', {
    auth: { persistSession: false, autoRefreshToken: false },
    realtime: { transport: WebSocket as never, ...(vsn && { vsn: vsn as '1.0.0' }) },
  });

/** Joins a channel. Rejects with the reason of a refusal. */
export const joined = (channel: RealtimeChannel): Promise<RealtimeChannel> =>
  new Promise((resolve, reject) => {
    channel.subscribe((status, error) => {
      if (status === 'SUBSCRIBED') resolve(channel);
      else if (status === 'CHANNEL_ERROR' || status === 'TIMED_OUT') reject(error ?? new Error(status));
    });
  });

/** A message of the server on a socket without a client library. */
export interface Message {
  readonly topic: string;
  readonly event: string;
  readonly payload: Record<string, unknown>;
  readonly ref: string | null;
}

/** A socket without a client library, which speaks 1.0.0 and can send anything. */
export class RawSocket {
  readonly ws: WebSocket;
  readonly messages: Message[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  #ref = 0;
  #wake: () => void = () => undefined;

  constructor(
    app: AppConnection,
    {
      key = app.publishable_key,
      path = '',
      headers = {},
    }: { key?: string | undefined; path?: string; headers?: Readonly<Record<string, string>> } = {},
  ) {
    const url = `${app.url.replace(/^http/, 'ws')}/realtime/v1/websocket?apikey=${key}&vsn=1.0.0${path}`;
    this.ws = new WebSocket(url, { headers });
    this.ws.on('message', (data) => {
      this.messages.push(JSON.parse(String(data)) as Message);
      this.#wake();
    });
    this.ws.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      this.ws.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
    });
  }

  /** Resolves when the socket is open. Rejects with the status of a refusal. */
  opened(): Promise<this> {
    return new Promise((resolve, reject) => {
      this.ws.once('open', () => resolve(this));
      this.ws.once('unexpected-response', (_, response) => reject(new Error(String(response.statusCode))));
      this.ws.once('error', reject);
    });
  }

  /** Sends a message. Returns its ref. */
  send(topic: string, event: string, payload: object = {}): string {
    this.#ref++;
    const ref = String(this.#ref);
    this.ws.send(JSON.stringify({ topic, event, payload, ref, join_ref: event === 'phx_join' ? ref : null }));
    return ref;
  }

  /** Sends a message and returns the payload of the reply. */
  async ask(topic: string, event: string, payload: object = {}): Promise<Record<string, unknown>> {
    const ref = this.send(topic, event, payload);
    return (await this.next((message) => message.event === 'phx_reply' && message.ref === ref)).payload;
  }

  /** Joins a topic, which needs no prefix, and returns the payload of the reply. */
  join(topic: string, config: object = {}, token?: string): Promise<Record<string, unknown>> {
    return this.ask(`realtime:${topic}`, 'phx_join', { config, ...(token && { access_token: token }) });
  }

  /** Returns the first message that matches, now or later. */
  async next(matches: (message: Message) => boolean, milliseconds = 10_000): Promise<Message> {
    const until = performance.now() + milliseconds;
    for (;;) {
      const found = this.messages.find(matches);
      if (found) return found;
      const left = until - performance.now();
      if (left <= 0) throw new Error(`No such message among ${JSON.stringify(this.messages).slice(0, 2000)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  close(): void {
    this.ws.terminate();
  }
}
