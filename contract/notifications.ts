/**
 * The kinds of notifications, the first one that applies to a change first. `appointment`: the time or the state of an
 * appointment of the member has changed. `mention`: a text names the member. `assignment`: a field was set to the member.
 * `reference`: a new row refers to a row of the member. `transition`: a row of the member has another state.
 */
export const notificationKinds = ['appointment', 'mention', 'assignment', 'reference', 'transition'] as const;

export type NotificationKind = (typeof notificationKinds)[number];

/** How a member hears of a kind by mail. */
export const notificationMails = ['now', 'daily', 'never'] as const;

export type NotificationMail = (typeof notificationMails)[number];

/** A row by its table and its primary key. */
export interface NotifiedRow {
  readonly schema: string;
  readonly entity: string;
  readonly key: Readonly<Record<string, unknown>>;
}

/** A notification of a row that the member may read. It contains no text of the row. */
export interface PortalNotification {
  readonly id: string;
  readonly kind: NotificationKind;
  /** The row that the notification is about. */
  readonly row: NotifiedRow;
  /** The row with the text, such as a comment on `row`; null if it is `row` itself. */
  readonly part: NotifiedRow | null;
  /** The field that decided: the beginning of the appointment, the text, the member, the reference or the state. */
  readonly field: string;
  /** The transition that was taken, and the new state; null for other kinds. */
  readonly transition: string | null;
  readonly to_state: string | null;
  /** The id of the member who made the change; null if no member did. */
  readonly actor: string | null;
  /** ISO 8601. */
  readonly at: string;
  readonly is_read: boolean;
}

/** The state of a member's notifications, which the pages follow. */
export interface NotificationState {
  readonly id: 'notifications';
  /** Number of unread notifications, up to the limit notificationsCounted. */
  readonly unread: number;
  /** Id of the newest notification; null without one. */
  readonly newest: string | null;
}

/** The reply of `GET /portal/v1/notifications`. */
export interface PortalNotifications {
  readonly state: NotificationState;
  /** The kinds of which there are notifications. */
  readonly kinds: readonly NotificationKind[];
  readonly notifications: readonly PortalNotification[];
  /** The value of `before` for the next page; null on the last page. */
  readonly next: string | null;
}

/** How a member hears of one kind. */
export interface NotificationChoice {
  readonly kind: NotificationKind;
  readonly in_app: boolean;
  readonly mail: NotificationMail;
  /** The tables whose rules have this kind. */
  readonly entities: readonly { readonly schema: string; readonly entity: string }[];
  /** Number of notifications of this kind in the last seven days. */
  readonly of_week: number;
}

/** The reply of `GET /portal/v1/notifications/choices`. */
export interface NotificationChoices {
  /** The kinds that the app's rules have. */
  readonly choices: readonly NotificationChoice[];
  /** The time zone of the daily mail, and its hour there. */
  readonly time_zone: string;
  readonly mail_hour: number;
  /** True if the member has an address for mails. */
  readonly has_address: boolean;
}
