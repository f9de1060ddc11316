import { entries, memberTexts } from './entry.ts';

const notYours = 'You may not use this part of the app.';
const busy = 'This part of the app is busy. Please try again in a minute.';

/**
 * Errors of `/realtime/v1` with the codes of Supabase Realtime
 * (https://supabase.com/docs/guides/realtime/error_codes). Most of them reach a client on its socket, and not as a
 * response.
 */
export const realtimeErrors = entries('realtime', {
  TopicNameRequired: {
    status: 400,
    message: 'You must provide a topic name',
    meaning: 'A join has no topic after `realtime:`.',
    action: 'Give the channel a name.',
    member: memberTexts.fault,
  },
  InvalidJoinPayload: {
    status: 400,
    message: 'The payload of the join is not valid',
    meaning: 'The configuration of a join has a wrong form, or too many entries.',
    action: 'Correct the options of the channel. The message names the field.',
    member: memberTexts.fault,
  },
  UnexpectedMessage: {
    status: 400,
    message: 'The message is not valid',
    meaning: 'A message on a socket is no message of the protocol, such as text that is no JSON.',
    action: 'Use realtime-js, or send the frames of its protocol.',
    member: memberTexts.fault,
  },
  UpgradeRequired: {
    status: 426,
    message: 'This path opens a WebSocket',
    meaning: 'A request to /realtime/v1/websocket has no `Upgrade: websocket`. Some proxies remove this header.',
    action: 'Use realtime-js, and let the proxy pass the headers Upgrade and Connection on.',
    member: memberTexts.fault,
  },
  Unauthorized: {
    status: 403,
    message: 'You do not have permissions to read from this Channel topic',
    meaning: 'No policy on realtime.messages lets the caller read or write on this private topic.',
    action: 'Add a policy for SELECT (to join) or INSERT (to send) on realtime.messages.',
    member: notYours,
  },
  PrivateOnly: {
    status: 403,
    message: 'This project only allows private channels',
    meaning: 'The setting realtime_private_only refuses public channels.',
    action: 'Join the channel with `private: true`, or change the setting.',
    member: memberTexts.fault,
  },
  InvalidJWTToken: {
    status: 401,
    message: 'The access token is not valid',
    meaning: 'The access token of a join has expired, has no session any more, or was not signed by this app.',
    action: 'Sign in again, or send a new token with `realtime.setAuth()`.',
    member: memberTexts.signInAgain,
  },
  ConnectionRateLimitReached: {
    status: 429,
    message: 'Too many connected users',
    meaning: 'The app has as many open sockets as its limit allows.',
    action: 'Close sockets that are not used, or raise the setting realtime_sockets.',
    member: busy,
    limit: 'realtimeSockets',
  },
  ChannelRateLimitReached: {
    status: 429,
    message: 'Too many channels',
    meaning: 'The socket has joined as many channels as the limit allows.',
    action: 'Leave channels that are not used, or raise the setting realtime_channels.',
    member: busy,
    limit: 'realtimeChannels',
  },
  ClientJoinRateLimitReached: {
    status: 429,
    message: 'Too many joins per second',
    meaning: 'Clients of the app join more channels in a second than the limit allows.',
    action: 'Join fewer channels, or raise the setting realtime_joins_per_second.',
    member: busy,
    limit: 'realtimeJoinsPerSecond',
  },
  MessagePerSecondRateLimitReached: {
    status: 429,
    message: 'Too many messages per second',
    meaning: 'One socket, or all clients of the app together, send more in a second than a limit allows.',
    action: 'Send less, or raise the setting that the message names.',
    member: busy,
  },
  PayloadSizeExceeded: {
    status: 413,
    message: 'The payload is too large',
    meaning: 'The payload of a message is larger than the limit.',
    action: 'Send less, or raise the setting realtime_payload_bytes.',
    member: memberTexts.fault,
    limit: 'realtimePayloadBytes',
  },
  UnprocessableEntity: {
    status: 422,
    message: 'The body is not valid',
    meaning: 'The body of a call of api/broadcast has a wrong form, or too many messages.',
    action: 'Send `{"messages": [{"topic", "event", "payload", "private"}]}`. The message names the field.',
    member: memberTexts.fault,
  },
  RealtimeDisabledForConfiguration: {
    status: 400,
    message: 'The changes cannot be followed',
    meaning: 'An entry of postgres_changes names a table that is not published, or a filter that cannot be read.',
    action:
      'Add the table to the publication supabase_realtime, or correct the entry. The message names it. The channel stays joined, without changes of rows.',
    member: memberTexts.fault,
  },
  RealtimeRestarting: {
    status: 503,
    message: 'Realtime is restarting',
    meaning: 'The node stops, or the connection to the database was lost. The client joins again by itself.',
    action: 'Wait. The client joins again by itself.',
    member: memberTexts.tryAgain,
  },
  RealtimeNodeDisconnected: {
    status: 503,
    message: 'Messages of other nodes may be missing',
    meaning: 'The node cannot reach the other nodes, or messages between them were lost. The channel stays joined.',
    action: 'Read again what the messages tell. A message with the status ok follows when they arrive again.',
    member: memberTexts.tryAgain,
  },
  RlsPolicyError: {
    status: 500,
    message: 'A policy on realtime.messages raised an error',
    meaning: 'A policy on realtime.messages failed when the caller joined or sent.',
    action: 'Correct the policy. The log of requests has the error of PostgreSQL.',
    member: memberTexts.fault,
  },
  UnableToReplayMessages: {
    status: 400,
    message: 'Replay params are not valid',
    meaning: 'The option replay has a wrong form, or the channel is public.',
    action: 'Send `since` in milliseconds and a `limit` of at most 25, on a private channel.',
    member: memberTexts.fault,
  },
  InvalidPresencePayload: {
    status: 400,
    message: 'Presence track payload must be a map',
    meaning: 'The payload of `track` is no object, or it is larger than a limit.',
    action: 'Send a smaller object.',
    member: memberTexts.fault,
  },
  UnknownPresenceEvent: {
    status: 400,
    message: 'Unknown presence event',
    meaning: 'A message of presence has an event other than track and untrack.',
    action: 'Use `channel.track()` and `channel.untrack()`.',
    member: memberTexts.fault,
  },
  ClientPresenceRateLimitReached: {
    status: 429,
    message: 'Client presence rate limit exceeded',
    meaning: 'A channel calls track and untrack more often than the limit allows.',
    action: 'Track less often.',
    member: busy,
    limit: 'realtimePresenceCalls',
  },
  UnableToTrackPresence: {
    status: 429,
    message: 'The channel has too many members',
    meaning: 'The presence of the channel has as many members as the limit allows.',
    action: 'Use several channels.',
    member: busy,
    limit: 'realtimePresenceMembers',
  },
  LiveListRefused: {
    status: 400,
    message: 'The read cannot be a live list',
    meaning:
      'The read of a live list is no read of a table, does not select the primary key, or returns more rows or bytes than a limit allows.',
    action: 'Select the columns of the primary key, and add filters or `limit`. The message names the reason.',
    member: memberTexts.fault,
  },
  LiveListRateLimitReached: {
    status: 429,
    message: 'Too many live lists',
    meaning: 'The socket or the app has as many live lists as the limit allows.',
    action: 'Leave lists that are not shown, or raise the setting realtime_live_reads.',
    member: busy,
    limit: 'realtimeLiveReads',
  },
});
