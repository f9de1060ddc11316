/** The queues of an app as the page Queues and `GET /apps/:ref/queues` show them. */
export interface QueueList {
  /** False if the app's database has no schema `pgmq`. */
  installed: boolean;
  /** True if the setting db_schemas has `pgmq_public`, whose functions clients call. */
  exposed: boolean;
  /** Number of all queues; `queues` may have fewer. */
  total: number;
  /** The queues by name. */
  queues: QueueEntry[];
}

/** A queue with the figures of its messages and the privileges of clients. */
export interface QueueEntry {
  name: string;
  /** True if PostgreSQL empties the queue after a crash. */
  unlogged: boolean;
  created_at: string;
  /** The table of the messages and the table of the archive, in the schema `pgmq`. Absent if one of them is missing. */
  tables?: { queue: string; archive: string };
  length: number;
  /** Messages that a reader can read at once. */
  visible: number;
  /** Messages that have been read at least once and are still in the queue. */
  read: number;
  archived: number;
  /** Messages that were ever sent. */
  sent: number;
  /** When the oldest message was sent; null if the queue is empty. */
  oldest_at: string | null;
  /** True if row-level security is enabled for the table of the messages. */
  row_security: boolean;
  /** Names of the policies of the table of the messages. */
  policies: string[];
  /** Privileges of clients on the table of the messages, such as `SELECT`. */
  grants: { role: QueueClient; privileges: string[] }[];
}

/** The roles of clients. */
export type QueueClient = 'anon' | 'authenticated';

/** A page of the messages of a queue or of its archive. */
export interface QueuePage {
  messages: QueueMessage[];
  /** The id after which the next page begins; null if this page is the last. */
  next: string | null;
}

/** A message. Ids are text, because PostgreSQL counts them in 64 bits. */
export interface QueueMessage {
  id: string;
  read_count: number;
  enqueued_at: string;
  visible_at: string;
  /** Present in the archive. */
  archived_at?: string;
  /** The JSON of the message as PostgreSQL prints it, or its beginning; null if the message is an SQL null. */
  body: string | null;
  /** The JSON of the headers, or its beginning. */
  headers: string | null;
  /** True if `body` or `headers` is only the beginning. */
  cut: boolean;
}
