import type { RealtimeCall } from '../../../contract/calls.ts';
import { limits } from '../../../contract/limits.ts';
import type { CallParameter } from '../../../contract/specification-calls.ts';
import { optional, parameter, required } from '../../calls/words.ts';

const isPrivate = optional('True for a private channel; policies on realtime.messages decide.', 'boolean');
const apikey = parameter('apikey', 'query', required('The key of the app; other clients send it as a header.'));

/** The words of the fields of a message in the body of `realtime.broadcast`. */
const messageWords = {
  topic: required('The name of the channel.'),
  event: required('The name of the event.'),
  payload: required('What the channels receive.', 'object'),
  private: isPrivate,
  id: optional('The id of the message, which the channels receive in meta.'),
};

const messageFields: readonly CallParameter[] = Object.entries(messageWords).map(([name, words]) =>
  parameter(`messages[].${name}`, 'body', words),
);

/** The calls of `/realtime/v1`, which a test writes into `contract/generated/realtime-calls.json`. */
export const realtimeCallFacts = {
  socket: {
    id: 'realtime.socket',
    method: 'GET',
    path: '/realtime/v1/websocket',
    summary: 'Opens a WebSocket with the protocol of realtime-js. Clients join channels on it.',
    parameters: [apikey, parameter('vsn', 'query', optional('The version of the protocol.', '1.0.0 or 2.0.0'))],
    returns: '101, then messages',
    example: null,
    errors: ['UpgradeRequired', 'UnexpectedMessage', 'ConnectionRateLimitReached', 'RealtimeRestarting'],
  },
  broadcast: {
    id: 'realtime.broadcast',
    method: 'POST',
    path: '/realtime/v1/api/broadcast',
    summary: `Sends up to ${limits.realtimeBatchMessages.default} broadcasts, all of them or none.`,
    parameters: [...messageFields],
    returns: '202, no body',
    example: { messages: [{ topic: 'room:1', event: 'greeting', payload: { text: 'hello' }, private: false }] },
    errors: [
      ...(['UnprocessableEntity', 'Unauthorized', 'PrivateOnly', 'PayloadSizeExceeded'] as const),
      ...(['MessagePerSecondRateLimitReached', 'RlsPolicyError', 'RealtimeRestarting'] as const),
    ],
  },
  event: {
    id: 'realtime.broadcast.event',
    method: 'POST',
    path: '/realtime/v1/api/broadcast/{topic}/events/{event}',
    summary: 'Sends one broadcast. The body is its payload: JSON, or any bytes with application/octet-stream.',
    parameters: [parameter('private', 'query', isPrivate)],
    returns: '202, no body',
    example: { text: 'hello' },
    errors: [
      ...(['UnprocessableEntity', 'Unauthorized', 'PrivateOnly', 'PayloadSizeExceeded'] as const),
      ...(['MessagePerSecondRateLimitReached', 'RlsPolicyError', 'RealtimeRestarting'] as const),
    ],
  },
} as const satisfies Readonly<Record<string, RealtimeCall>>;
