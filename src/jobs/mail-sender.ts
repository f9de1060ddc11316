import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '../../contract/limits.ts';
import { mailSecrets, type RenderedMail } from '../../contract/mails.ts';
import type { Executor } from '../database/database.ts';
import { ConnectionError } from '../database/database-error.ts';
import { NinefoldError } from '../errors/ninefold-error.ts';
import { calendarFiles } from '../mail/appointments.ts';
import { composeMail } from './mail-message.ts';
import { type ClaimedMail, claimMails, noteFailure, noteSent, releaseMail } from './mail-queue.ts';
import type { MailServer } from './mail-server.ts';
import type { AddressPolicy } from './public-address.ts';
import { SmtpError, SmtpSession } from './smtp-session.ts';

/**
 * Pause before the next check, if other apps use all connections, or if the limit per hour is reached and it is not
 * known when it will allow another mail.
 */
const LATER_MILLISECONDS = 1000;

/** Counts the open connections to mail servers, for all apps together. */
export class MailPlaces {
  #used = 0;

  /** Takes a connection slot. Returns false if all are in use. */
  take(): boolean {
    if (this.#used >= limits.nodeMailConnections.default) return false;
    this.#used++;
    return true;
  }

  give(): void {
    this.#used--;
  }
}

/** Parameters of one run of `MailSender`, which sends the due mails of an app. */
export interface MailRun {
  readonly database: Executor;
  /** Connections as the app's authenticator, which read the accounts of the mails. */
  readonly accounts: Executor;
  /** A mail server, or a function that delivers each mail and throws NinefoldError on failure. */
  readonly server: MailServer | ((mail: ClaimedMail) => Promise<void>);
  readonly perHour: number;
  readonly render: (mail: ClaimedMail) => RenderedMail;
  /** Returns false if no further mail may be sent. */
  readonly mayGoOn: () => boolean;
}

/** Sends the queued mails of one app, within the limits of the app and the node. */
export class MailSender {
  readonly #policy: AddressPolicy;
  readonly #places: MailPlaces;
  readonly #cancel: AbortSignal;
  readonly #lanes = new Set<Promise<void>>();
  #claiming: Promise<unknown> = Promise.resolve();
  #running: Promise<number> | null = null;
  /** Number of attempts in a row in which the server could not be reached or rejected the login. */
  #failures = 0;
  #pausedUntil = 0;
  #lookAgain = 0;
  /** Errors that ended lanes of this run. A lane is a sequence of mails over one connection. */
  #faults: unknown[] = [];

  /** @param cancel Aborts running attempts. */
  constructor(policy: AddressPolicy, places: MailPlaces, cancel: AbortSignal) {
    this.#policy = policy;
    this.#places = places;
    this.#cancel = cancel;
  }

  get isBusy(): boolean {
    return this.#running !== null;
  }

  /** Time of the next attempt while the server cannot be reached, in milliseconds since 1970. */
  get pausedUntil(): number {
    return this.#pausedUntil;
  }

  /** Resolves when no attempt is running. */
  async stop(): Promise<void> {
    await this.#running?.catch(() => undefined);
  }

  /** Sends due mails. Returns the time of the next check in milliseconds since 1970. */
  run(run: MailRun): Promise<number> {
    this.#running ??= this.#run(run).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #run(run: MailRun): Promise<number> {
    this.#lookAgain = 0;
    this.#faults = [];
    if (!this.#startLane(run)) return Date.now() + LATER_MILLISECONDS;
    while (this.#lanes.size > 0) await Promise.race(this.#lanes);
    if (this.#faults.length > 0) throw this.#faults[0];
    return Math.max(Date.now(), this.#lookAgain, this.#pausedUntil);
  }

  #startLane(run: MailRun): boolean {
    if (this.#lanes.size >= limits.appMailConnections.default || !this.#places.take()) return false;
    const lane = this.#lane(run)
      .catch((error: unknown) => void this.#faults.push(error))
      .finally(() => {
        this.#places.give();
        this.#lanes.delete(lane);
      });
    this.#lanes.add(lane);
    return true;
  }

  /** Sends mails one after the other over one connection, until none is due. */
  async #lane(run: MailRun): Promise<void> {
    let session: SmtpSession | null = null;
    let sent = 0;
    try {
      while (run.mayGoOn() && Date.now() >= this.#pausedUntil) {
        const mail = await this.#claim(run);
        if (!mail) return;
        // Further mails may be due, so another lane is started.
        this.#startLane(run);
        session = await this.#attempt(run, mail, session);
        if (++sent % limits.mailsPerConnection.default === 0) {
          session?.close();
          session = null;
        }
      }
    } finally {
      session?.close();
    }
  }

  /** Claims one mail. Only one lane claims at a time, because each claim checks the limit per hour. */
  async #claim({ database, accounts, perHour }: MailRun): Promise<ClaimedMail | null> {
    const claim = this.#claiming.then(() => claimMails(database, accounts, 1, perHour));
    this.#claiming = claim.catch(() => undefined);
    const { mails, free, opens } = await claim;
    if (free <= 0) this.#lookAgain = Math.max(opens ?? 0, Date.now() + LATER_MILLISECONDS);
    return mails[0] ?? null;
  }

  /** Makes one attempt. Returns the session if it can send further mails. */
  async #attempt(run: MailRun, mail: ClaimedMail, open: SmtpSession | null): Promise<SmtpSession | null> {
    const { database, server } = run;
    const signal = AbortSignal.any([AbortSignal.timeout(limits.mailSendMilliseconds.default), this.#cancel]);
    let session = open;
    try {
      if (typeof server === 'function') await server(mail).catch(asMailError);
      else {
        const message = await composed(server, run, mail);
        session ??= await SmtpSession.open(server, this.#policy, signal);
        await session.send(message, signal);
      }
    } catch (error) {
      if (this.#cancel.aborted) {
        await this.#record(() => releaseMail(database, mail.id));
        return null;
      }
      if (!(error instanceof SmtpError)) throw error;
      if (session === null && error.endsSession) {
        this.#failures++;
        this.#pausedUntil = Date.now() + pauseSeconds(this.#failures) * 1000;
      }
      const isLast = error.isPermanent || mail.attempt >= limits.mailAttempts.default;
      const words = withoutSecrets(error.message, mail);
      await this.#record(() => noteFailure(database, mail.id, words, isLast ? null : pauseSeconds(mail.attempt)));
      if (!error.endsSession) return session;
      session?.close();
      return null;
    }
    this.#failures = 0;
    await this.#record(() => noteSent(database, mail.id));
    return session;
  }

  /**
   * Records the result of an attempt. Retries while PostgreSQL restarts, because a mail whose result is not recorded
   * would be sent a second time.
   */
  async #record(write: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        await write();
        return;
      } catch (error) {
        if (!(error instanceof ConnectionError) || this.#cancel.aborted) throw error;
        await delay(LATER_MILLISECONDS, undefined, { ref: false });
      }
    }
  }
}

/**
 * Converts an error of the app's hook send_email to an SmtpError. A rejection by the hook is permanent; other problems
 * may be temporary.
 */
function asMailError(error: unknown): never {
  if (!(error instanceof NinefoldError)) throw error;
  const isPermanent = error.code === 'unknown' && error.status < 500 && error.status !== 429;
  throw new SmtpError(error.message, { isPermanent, endsSession: false });
}

async function composed(server: MailServer, { render }: MailRun, mail: ClaimedMail) {
  try {
    const sender = { name: server.senderName, email: server.senderAddress };
    const more = { unsubscribeUrl: mail.data.UnsubscribeURL, files: await calendarFiles(mail.data, sender) };
    return await composeMail(server, mail.id, mail.recipient, render(mail), more);
  } catch (cause) {
    const words = `The mail could not be made: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new SmtpError(words, { isPermanent: true, endsSession: false });
  }
}

/** Removes the codes and links of a mail from an error message, because a server may repeat parts of the mail. */
function withoutSecrets(text: string, { data }: ClaimedMail): string {
  const secrets = mailSecrets.map((name) => data[name]).filter((one) => one !== undefined && one !== '');
  return secrets.reduce<string>((clean, one) => clean.replaceAll(String(one), '…'), text);
}

/**
 * Returns the pause in seconds after an attempt. Each pause is four times as long as the previous one, up to the limit.
 * @param attempt Number of the attempt, from 1.
 */
export const pauseSeconds = (attempt: number): number =>
  Math.min(limits.mailFirstPauseSeconds.default * 4 ** (attempt - 1), limits.mailLongestPauseSeconds.default);
