import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { CallRequest, Reply } from '../../contract/call-request.ts';
import { limits } from '../../contract/limits.ts';
import type { App } from '../apps/app.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import type { Identity } from '../identity/identity.ts';
import { handleBroadcast } from '../realtime/api/broadcast-calls.ts';
import type { SocketCaller } from '../realtime/channels/connection.ts';
import type { Realtime } from '../realtime/realtime.ts';
import type { Version } from '../realtime/socket/frames.ts';
import type { ApiHandler } from './api-handler.ts';

/** Creates the handler of the calls below an app's `/realtime/v1`. */
export const realtimeApi = (realtime: Realtime): ApiHandler => ({
  name: 'realtime',
  body: { bytes: limits.realtimeBodyBytes.default, code: 'body_too_large' },
  handle: async (app, request, identify, trace) => {
    const { rest } = await app.settings();
    trace.slowMilliseconds = rest.logs_slow_milliseconds;
    const identity = await identify();
    return handleBroadcast(
      {
        app,
        identity,
        rightsOn: (topic) => realtime.rightsOn(app, identity, topic),
        takeMessages: (count) => realtime.takeMessages(app, count),
        send: (topic, broadcast) => realtime.broadcast(app.ref, topic, broadcast),
      },
      request,
    );
  },
  renderError: async (error) => realtimeErrorReply(error),
});

/** Path of the socket below `/realtime/v1`. */
export const SOCKET_PATH = '/websocket';

/**
 * Creates the handler of one request for a socket. Its reply has the status 101 if the socket is open; then nothing
 * more is written.
 */
export const socketApi = (
  realtime: Realtime,
  upgrade: { readonly request: IncomingMessage; readonly stream: Socket; readonly head: Buffer },
  authorise: SocketCaller['authorise'],
): ApiHandler => ({
  name: 'realtime',
  handle: async (app: App, request: CallRequest, identify: () => Promise<Identity>): Promise<Reply> => {
    const version = versionOf(request.query);
    await identify();
    await realtime.open(app, { ...upgrade, version, caller: { apikey: request.headers.apikey, authorise } });
    return { status: 101, headers: {}, body: null };
  },
  renderError: async (error) => realtimeErrorReply(error),
});

/** @throws NinefoldError UnexpectedMessage for an unknown version of the protocol */
function versionOf(query: string): Version {
  const version = new URLSearchParams(query).get('vsn') ?? '1.0.0';
  if (version === '1.0.0' || version === '2.0.0') return version;
  throw new NinefoldError('UnexpectedMessage', { message: 'The parameter vsn is 1.0.0 or 2.0.0.' });
}

/** Renders an error as `{error, message, code}`; null for an error that is not a NinefoldError. */
function realtimeErrorReply(error: unknown): Reply | null {
  if (!(error instanceof NinefoldError)) return null;
  const { code, message, hint } = error;
  return {
    status: error.status,
    code,
    headers: { ...error.headers, 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify({ error: message, message, code, ...(hint !== null && { hint }) }),
  };
}
