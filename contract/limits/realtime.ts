import { maxLiveTopicCharacters } from '../realtime.ts';
import { limitsOf } from './limit.ts';

const KIB = 1024;

/** Limits of realtime. */
export const realtimeLimits = limitsOf('realtime', {
  realtimeSockets: {
    unit: 'count',
    default: 1000,
    meaning: 'Sockets of one app that are open at the same time in one worker.',
    setting: 'realtime_sockets',
    range: [1, 100_000],
    code: 'ConnectionRateLimitReached',
  },
  realtimeChannels: {
    unit: 'count',
    default: 100,
    meaning: 'Channels that one socket joins at the same time.',
    setting: 'realtime_channels',
    range: [1, 10_000],
    code: 'ChannelRateLimitReached',
  },
  realtimeJoinsPerSecond: {
    unit: 'count',
    default: 500,
    meaning: 'Joins of channels of one app in a second, for each worker.',
    setting: 'realtime_joins_per_second',
    range: [1, 100_000],
    code: 'ClientJoinRateLimitReached',
  },
  realtimeMessagesPerSecond: {
    unit: 'count',
    default: 500,
    meaning: 'Messages that the clients of one app send in a second, for each worker.',
    setting: 'realtime_messages_per_second',
    range: [1, 1_000_000],
    code: 'MessagePerSecondRateLimitReached',
  },
  realtimeDeliveriesPerSecond: {
    unit: 'count',
    default: 100_000,
    meaning: 'Messages that one worker writes to the sockets of one app in a second. Broadcasts above it are refused.',
    code: 'MessagePerSecondRateLimitReached',
  },
  realtimeNodeSockets: {
    unit: 'count',
    default: 10_000,
    meaning: 'Sockets of all apps that are open at the same time in one worker. One app may have half of them.',
    variable: 'NINEFOLD_REALTIME_SOCKETS',
    range: [2, 100_000],
    code: 'ConnectionRateLimitReached',
  },
  realtimeSocketMessagesPerSecond: {
    unit: 'count',
    default: 100,
    meaning: 'Messages that one socket sends in a second.',
    setting: 'realtime_socket_messages_per_second',
    range: [1, 100_000],
    code: 'MessagePerSecondRateLimitReached',
  },
  realtimeSocketBytesPerSecond: {
    unit: 'bytes',
    default: 1024 * KIB,
    meaning: 'Bytes that one socket sends in a second.',
    setting: 'realtime_socket_bytes_per_second',
    range: [KIB, 1024 * 1024 * KIB],
    code: 'MessagePerSecondRateLimitReached',
  },
  realtimePayloadBytes: {
    unit: 'bytes',
    default: 256 * KIB,
    meaning: 'The largest payload of a message.',
    setting: 'realtime_payload_bytes',
    range: [KIB, 3 * 1024 * KIB],
    code: 'PayloadSizeExceeded',
  },
  realtimeTopicCharacters: {
    unit: 'characters',
    default: 255,
    meaning: 'The longest topic and the longest name of an event.',
    code: 'InvalidJoinPayload',
  },
  realtimeFilterCharacters: {
    unit: 'characters',
    default: 10_000,
    meaning: 'The longest filter of an entry of postgres_changes.',
    code: 'InvalidJoinPayload',
  },
  realtimeChangesPerChannel: {
    unit: 'count',
    default: 100,
    meaning: 'Entries of postgres_changes of one channel.',
    code: 'InvalidJoinPayload',
  },
  realtimeChangedRows: {
    unit: 'count',
    default: 5000,
    meaning:
      'Rows of one table that one transaction changes and that clients receive. One more, or 40 MB of rows, ends the channels of the table, and the clients join and read again.',
  },
  realtimeChangeBytes: {
    unit: 'bytes',
    default: 1024 * KIB,
    meaning: 'The largest row that a change contains. Clients receive the key of a larger row, and an error.',
  },
  realtimeJsonDepth: {
    unit: 'count',
    default: 64,
    meaning: 'How deeply objects and lists may be nested in a message.',
  },
  realtimeBatchMessages: {
    unit: 'count',
    default: 1000,
    meaning: 'Messages of one call of api/broadcast.',
    code: 'UnprocessableEntity',
  },
  realtimeBodyBytes: {
    unit: 'bytes',
    default: 3 * 1024 * KIB,
    meaning: 'The largest body of a call of api/broadcast.',
    code: 'body_too_large',
  },
  realtimeSilenceSeconds: {
    unit: 'seconds',
    default: 60,
    meaning: 'How long a socket may be silent. Clients send a heartbeat every 25 seconds.',
  },
  realtimeSlowBytes: {
    unit: 'bytes',
    default: 1024 * KIB,
    meaning: 'Bytes that wait for a slow client before presence and broadcasts without acknowledgement are left out.',
  },
  realtimeClosedBytes: {
    unit: 'bytes',
    default: 4 * 1024 * KIB,
    meaning: 'Bytes that wait for a slow client before its socket is closed with 1013.',
  },
  realtimeAppWaitingBytes: {
    unit: 'bytes',
    default: 128 * 1024 * KIB,
    meaning:
      'Bytes that wait for all clients of one app in one worker before slow clients lose messages at realtimeShareBytes.',
  },
  realtimeShareBytes: {
    unit: 'bytes',
    default: 64 * KIB,
    meaning:
      'Bytes that may wait for a client while more than realtimeAppWaitingBytes wait for its app. Above it, messages are left out or its socket is closed with 1013.',
  },
  realtimeUnfinishedBytes: {
    unit: 'bytes',
    default: 32 * 1024 * KIB,
    meaning:
      'Bytes of messages of one app that have not arrived completely, in one worker. Above it, the sockets with the longest ones are closed.',
  },
  realtimeReceivedPerSecond: {
    unit: 'count',
    default: 20_000,
    meaning: 'Messages and pings that one worker reads of the sockets of one app in a second. The others wait.',
  },
  realtimeReceivedBytesPerSecond: {
    unit: 'bytes',
    default: 32 * 1024 * KIB,
    meaning: 'Bytes of messages that one worker reads of the sockets of one app in a second. The others wait.',
  },
  realtimeReadPercent: {
    unit: 'count',
    default: 50,
    meaning:
      'Percent of its time for which one worker handles the messages of the sockets of one app. The others wait.',
  },
  realtimePresenceTopicBytes: {
    unit: 'bytes',
    default: 1024 * KIB,
    meaning: 'Bytes of all objects that the clients of one topic track.',
    code: 'UnableToTrackPresence',
  },
  realtimeSlowSeconds: {
    unit: 'seconds',
    default: 10,
    meaning: 'How long a client may read nothing while bytes wait for it.',
  },
  realtimeHeldSeconds: {
    unit: 'seconds',
    default: 5,
    meaning:
      'How long messages that policies decide about wait while a worker cannot prove that it hears of ended sessions. Then their channels are closed.',
  },
  realtimeHeldMessages: {
    unit: 'count',
    default: 10_000,
    meaning: 'Messages of one app that wait meanwhile. One more closes their channels.',
  },
  realtimeRightsSeconds: {
    unit: 'seconds',
    default: 60,
    meaning: 'How long a decision of the policies about a private channel is used at most.',
  },
  realtimePolicySeconds: {
    unit: 'seconds',
    default: 5,
    meaning: 'How long a policy on realtime.messages may take when a caller joins a private channel.',
    code: 'RlsPolicyError',
  },
  realtimePresenceKeys: {
    unit: 'count',
    default: 10,
    meaning: 'Keys of an object that a client tracks.',
    code: 'InvalidPresencePayload',
  },
  realtimePresenceBytes: {
    unit: 'bytes',
    default: 8 * KIB,
    meaning: 'The largest object that a client tracks, as JSON.',
    code: 'InvalidPresencePayload',
  },
  realtimePresenceCalls: {
    unit: 'count',
    default: 5,
    meaning: 'Calls of track and untrack of one channel within realtimePresenceSeconds.',
    code: 'ClientPresenceRateLimitReached',
  },
  realtimePresenceSeconds: {
    unit: 'seconds',
    default: 30,
    meaning: 'The period in which realtimePresenceCalls are counted.',
  },
  realtimePresenceMembers: {
    unit: 'count',
    default: 1000,
    meaning: 'Members in the presence of one topic.',
    code: 'UnableToTrackPresence',
  },
  probedTopics: {
    unit: 'count',
    default: 20,
    meaning: 'Patterns of topics whose rights the probe tests, the first ones by their text.',
  },
  realtimeReplayMessages: {
    unit: 'count',
    default: 25,
    meaning: 'Earlier messages that a join of a private channel gets at most.',
  },
  realtimeMessageDays: {
    unit: 'days',
    default: 3,
    meaning: 'Days for which the rows of realtime.messages are stored.',
  },
  realtimeDatabaseMessages: {
    unit: 'count',
    default: 20_000,
    meaning:
      'Rows of realtime.messages that wait for a worker at the same time. If there are more, the worker leaves all of them out and logs it.',
  },
  realtimeWaitingBytes: {
    unit: 'bytes',
    default: 16 * 1024 * KIB,
    meaning:
      'Bytes of messages that wait for one worker or for the other nodes before messages are dropped. An app may use as many of them as are free.',
  },
  realtimeNodeSilenceSeconds: {
    unit: 'seconds',
    default: 15,
    meaning: 'How long a node may be silent before the others void the presence of its members.',
  },
  realtimeNotificationsPerSecond: {
    unit: 'count',
    default: 50,
    meaning: 'Notifications of PostgreSQL that a node sends to the others in a second, each with a batch of messages.',
  },
  realtimeLiveRows: {
    unit: 'count',
    default: 1000,
    meaning: 'Rows of a live list.',
    code: 'LiveListRefused',
  },
  realtimeLiveBytes: {
    unit: 'bytes',
    default: 1024 * KIB,
    meaning: 'Bytes of the rows of a live list.',
    code: 'LiveListRefused',
  },
  realtimeLiveCharacters: {
    unit: 'characters',
    default: maxLiveTopicCharacters,
    meaning: 'The longest topic of a live list.',
    code: 'InvalidJoinPayload',
  },
  realtimeLiveLists: {
    unit: 'count',
    default: 30,
    meaning: 'Live lists that one socket joins at the same time.',
    code: 'LiveListRateLimitReached',
  },
  realtimeLiveReads: {
    unit: 'count',
    default: 500,
    meaning:
      'Different reads of the live lists of one app in one worker. Lists with the same text and the same caller share a read.',
    setting: 'realtime_live_reads',
    range: [0, 100_000],
    code: 'LiveListRateLimitReached',
  },
  realtimeLivePauseMilliseconds: {
    unit: 'milliseconds',
    default: 100,
    meaning: 'The shortest time between two runs of the read of a live list.',
  },
  realtimeLivePercent: {
    unit: 'count',
    default: 50,
    meaning:
      'Percent of its time for which one worker runs the reads of the live lists of an app again, one after the other. Lists arrive later above it.',
  },
  realtimeLiveUnknownSeconds: {
    unit: 'seconds',
    default: 10,
    meaning: 'How often a read runs again whose tables are not all known, or whose result changes with time.',
  },
});
