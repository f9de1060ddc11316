/** The longest topic of a live list, without the prefix `realtime:`. */
export const maxLiveTopicCharacters = 4000;

/** The realtime of an app as the page Realtime and `GET /apps/:ref/realtime` show it. */
export interface RealtimeState {
  usage: RealtimeUsage;
  /** The tables that can be published, by schema and name. */
  tables: RealtimeTable[];
  /** True if clients may join private channels only. */
  private_only: boolean;
  /** The limits of each worker of the node. */
  limits: { sockets: number; channels_of_socket: number; messages_per_second: number; joins_per_second: number };
}

/** The usage of an app in the workers of all nodes. Rates are those of the last ten seconds. */
export interface RealtimeUsage {
  /** Number of workers that answered. */
  workers: number;
  sockets: number;
  channels: number;
  /** Number of different topics; `topics` may have fewer. */
  topic_count: number;
  /** The topics with the most channels. */
  topics: RealtimeTopic[];
  received_per_second: number;
  sent_per_second: number;
  joins_per_second: number;
  /** Messages that slow clients did not get in the last ten seconds. */
  dropped: number;
  /** Milliseconds from a change of a row until it is sent, in the last minute; null without changes. */
  delay: { p50_ms: number; p99_ms: number } | null;
}

/** A topic with channels. */
export interface RealtimeTopic {
  topic: string;
  private: boolean;
  channels: number;
}

/** A table that can be in the publication supabase_realtime. */
export interface RealtimeTable {
  schema: string;
  name: string;
  published: boolean;
  /** True if the publication has this table itself, so that a switch can remove it, and not its schema or all tables. */
  switchable: boolean;
}
