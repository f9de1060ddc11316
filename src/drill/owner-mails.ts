import { randomUUID } from 'node:crypto';
import type { BackupState } from '../../contract/backup.ts';
import { type BackupWarning, backupWarnings } from '../../contract/backup-warnings.ts';
import { limits } from '../../contract/limits.ts';
import type { BackupHome } from '../backup/backup-home.ts';
import { composeMail } from '../jobs/mail-message.ts';
import type { MailServer } from '../jobs/mail-server.ts';
import { SmtpSession } from '../jobs/smtp-session.ts';
import { escapeHtml } from '../mail/html-writer.ts';

/** Interval between two looks at the state of the backups. */
const LOOK_MILLISECONDS = 60_000;
/** How long a warning must last before the owners get a mail. A restart of the target is no reason for one. */
const LASTING_MILLISECONDS = 10 * 60_000;
/** Time after which a warning that still holds is sent again. */
const REPEAT_MILLISECONDS = 7 * 86_400_000;
/** Warnings that are worth a mail. The others are advice, which the page Backups gives. */
const MAILED = new Set(['process', 'failure', 'loss', 'backup', 'drill']);

export interface OwnerMailsOptions {
  readonly server: MailServer;
  /** The URL of the console. */
  readonly url: string;
  readonly home: BackupHome;
  readonly state: () => BackupState | null;
  /** Returns the addresses of the owners of the node. */
  readonly owners: () => Promise<readonly string[]>;
  readonly log: (message: string, detail: Record<string, unknown>) => void;
}

/** Sends the owners of a node a mail when its backups need them: a failed or old drill, an old backup, a failure. */
export class OwnerMails {
  readonly #options: OwnerMailsOptions;
  /** When each warning began, in milliseconds since 1970. */
  readonly #since = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: OwnerMailsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(Date.now()), LOOK_MILLISECONDS).unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  /**
   * Sends a mail for the warnings that have lasted and were not sent lately. A mail that cannot be sent is tried again at
   * the next look.
   * @param now Milliseconds since 1970.
   */
  async look(now: number): Promise<void> {
    const { home, log } = this.#options;
    try {
      const lasting = this.#lasting(now);
      const sent = await home.readSentWarnings();
      const due = lasting.filter(({ id }) => now - (sent[id] ?? 0) >= REPEAT_MILLISECONDS);
      // A warning that has passed is sent at once when it returns.
      const kept = Object.fromEntries(Object.entries(sent).filter(([id]) => this.#since.has(id)));
      if (due.length > 0) await this.#send(due);
      const all = { ...kept, ...Object.fromEntries(due.map(({ id }) => [id, now])) };
      if (JSON.stringify(all) !== JSON.stringify(sent)) await home.writeSentWarnings(all);
    } catch (error) {
      log('The owners of the node could not be warned by mail', { reason: (error as Error).message });
    }
  }

  /** Returns the warnings that have lasted long enough. A drill is a result and does not pass by itself. */
  #lasting(now: number): BackupWarning[] {
    const state = this.#options.state();
    const page = { state, at: new Date(now).toISOString(), is_target_in_home: false };
    const warnings = backupWarnings(page, words).filter(({ id }) => MAILED.has(id));
    const ids = new Set(warnings.map(({ id }) => id));
    for (const id of [...this.#since.keys()]) if (!ids.has(id)) this.#since.delete(id);
    for (const id of ids) if (!this.#since.has(id)) this.#since.set(id, now);
    return warnings.filter(({ id }) => id === 'drill' || now - (this.#since.get(id) ?? now) >= LASTING_MILLISECONDS);
  }

  async #send(warnings: readonly BackupWarning[]): Promise<void> {
    const { server, url, owners } = this.#options;
    const paragraphs = [
      `The backups of the node ${url} need attention.`,
      ...warnings.map(({ title, detail }) => `${title} ${detail}`),
      `The page Backups shows more and has the buttons that help: ${url}/backups`,
    ];
    const mail = {
      subject: `${new URL(url).host}: ${warnings[0]?.title ?? ''}`,
      text: paragraphs.join('\n\n'),
      html: paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n'),
      language: 'en',
    };
    const signal = AbortSignal.timeout(limits.mailSendMilliseconds.default);
    // The operator chose the server, so every address is allowed.
    const session = await SmtpSession.open(server, { allows: () => true }, signal);
    try {
      for (const owner of await owners()) {
        await session.send(await composeMail(server, randomUUID(), owner, mail), signal);
      }
    } finally {
      session.close();
    }
  }
}

/**
 * Reads the mail server of a node from its URL.
 * @param url smtp:// or smtps://, with user and password.
 * @param sender An address, or a name with an address in angle brackets.
 * @param ownHost The host name with which the node introduces itself.
 */
export function mailServerFrom(url: string, sender: string, ownHost: string): MailServer {
  const { protocol, hostname, port, username, password } = new URL(url);
  const [, name = '', address = sender] = /^(.*)<([^<>]+)>$/.exec(sender) ?? [];
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (protocol === 'smtps:' ? 465 : 587),
    user: decodeURIComponent(username) || null,
    password: decodeURIComponent(password),
    senderAddress: address.trim(),
    senderName: name.trim() || null,
    clientName: ownHost,
  };
}

const units: readonly (readonly [milliseconds: number, word: string])[] = [
  [86_400_000, 'days'],
  [3_600_000, 'hours'],
  [60_000, 'minutes'],
  [1000, 'seconds'],
];

/** Words of the mail. The reader's time zone is not known, so times are in UTC. */
const words = {
  duration: (milliseconds: number): string => {
    const [size, word] = units.find(([unit]) => milliseconds >= 2 * unit) ?? [1000, 'seconds'];
    return `${Math.round(milliseconds / size)} ${word}`;
  },
  dateTime: (iso: string): string => `${iso.replace('T', ' ').replace(/\.\d+Z$|Z$/, '')} UTC`,
};
