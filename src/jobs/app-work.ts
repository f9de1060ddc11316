import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '../../contract/limits.ts';
import type { AuthSettings } from '../../contract/settings-auth.ts';
import type { App } from '../apps/app.ts';
import { authenticatorConnection, serverConnection } from '../apps/app-connections.ts';
import type { AppRecord } from '../apps/registry/app-record.ts';
import type { Secrets } from '../apps/registry/app-secrets.ts';
import type { Server } from '../apps/registry/server.ts';
import type { ConnectionBudget } from '../database/connection-budget.ts';
import { ConnectionError, isLastingFailure } from '../database/database-error.ts';
import { Pool } from '../database/pool.ts';
import type { ByteStore } from '../files/byte-store.ts';
import { renderMail } from '../mail/render.ts';
import type { HookContext } from './call-hook.ts';
import { FileSweeper } from './file-sweeper.ts';
import { readHttpQueue, tidyResponses } from './http-queue.ts';
import { HttpSender } from './http-sender.ts';
import {
  claimRun,
  finishRun,
  type Outcome,
  readDueJobs,
  readParts,
  recoverRuns,
  releaseRun,
  type ScheduledParts,
} from './job-store.ts';
import {
  type ClaimedMail,
  keepMails,
  type QueueState,
  readMailSettings,
  readQueueState,
  tidyMails,
} from './mail-queue.ts';
import { type MailPlaces, MailSender } from './mail-sender.ts';
import { mailServerOf } from './mail-server.ts';
import { textProviderOf } from './make-text-provider.ts';
import { type MailedMember, NotificationMails } from './notification-mails.ts';
import { OldMessages } from './old-messages.ts';
import type { Places } from './places.ts';
import type { AddressPolicy } from './public-address.ts';
import { runCommand } from './run-job.ts';
import { TextSender } from './text-sender.ts';
import type { WorkFigures } from './work-figures.ts';

/** The dependencies that the work of all apps shares. */
export interface SharedParts {
  server: Server;
  /** Limits the connections of all apps together. Without it, a check of many apps leaves a connection open to each. */
  budget: ConnectionBudget;
  policy: AddressPolicy;
  /** Counts the running HTTP requests of all apps, and limits their number. */
  requests: Places;
  mailPlaces: MailPlaces;
  /** Reads the secret settings of an app. */
  secretsOf: (ref: string) => Promise<Secrets>;
  /** Returns the URL that mails contain if the app has no site_url. */
  urlOf: (ref: string) => string;
  /**
   * Passes a mail to an app's hook send_email.
   * @param apiUrl URL of the app's `/auth/v1`.
   */
  sendMailHook: (context: HookContext, mail: ClaimedMail, apiUrl: string) => Promise<void>;
  /** Returns a member with the claims of the member's tokens; null for an account that gets no mails. */
  memberOf: (ref: string, userId: string) => Promise<MailedMember | null>;
  /** Opens the app in this worker. */
  appOf: (ref: string) => Promise<Pick<App, 'database' | 'hookDurations'>>;
  /** Holds the bytes of files. */
  store: ByteStore;
  /** Runs the longer sweeps of files of all apps one after the other. */
  sweepOneByOne: <T>(work: () => Promise<T>) => Promise<T>;
  /** Id of this process while it leads, stored with each claimed run. */
  runner: string;
  /** Counts the running jobs of all apps, and limits their number. */
  runs: Places;
  /** Aborts the running work at shutdown, after the time that the work has to end on its own. */
  cancel: AbortSignal;
  isStopping: () => boolean;
  /** Returns true while the app is suspended. */
  isSuspended: (ref: string) => boolean;
  figures: WorkFigures;
  /** Reports an error of an app's work. */
  onFault: (ref: string, error: unknown) => void;
}

const CONTROL_CONNECTIONS = 2;
/**
 * Time without use after which a connection closes. With this value, the connection stays open between the runs of a
 * job that runs every few seconds, and closes between the runs of a job that runs every minute.
 */
const CONTROL_IDLE_MILLISECONDS = 5000;
const CONTROL_WAIT_MILLISECONDS = 15_000;
/** Pause before the next check of a job that another process runs, or for which no slot was free. */
const LATER_MILLISECONDS = 2000;
/** Interval at which mails and responses are cleaned up. A clean-up also runs when one of them expires. */
const TIDY_MILLISECONDS = 3_600_000;

/** Runs the scheduled jobs, HTTP requests and mails of one app. Only the leader uses it. */
export class AppWork {
  readonly #shared: SharedParts;
  readonly #record: AppRecord;
  readonly #owner: string;
  /** Connections as the app's server role, for the queues and the jobs. */
  readonly #control: Pool;
  /** Connection as the app's authenticator, for the accounts that mails are for. */
  readonly #accounts: Pool;
  readonly #sender: HttpSender;
  readonly #mails: MailSender;
  readonly #texts = new TextSender();
  readonly #sweeper: FileSweeper;
  readonly #oldMessages: OldMessages;
  readonly #notifications: NotificationMails;
  #tidiedAt = 0;
  #responsesTidiedAt = Date.now();
  readonly #runs = new Set<Promise<void>>();
  readonly #onChange: (due: number) => void;
  #parts: ScheduledParts | null = null;
  #hasRecovered = false;

  /**
   * @param owner Id of the app's owner. All apps of one owner share the slots of this owner.
   * @param onChange Called with the time, in milliseconds since 1970, at which the app must be checked.
   */
  constructor(shared: SharedParts, record: AppRecord, owner: string, onChange: (due: number) => void) {
    this.#shared = shared;
    this.#record = record;
    this.#owner = owner;
    this.#onChange = onChange;
    const { target } = shared.server;
    const options = {
      idleMilliseconds: CONTROL_IDLE_MILLISECONDS,
      waitMilliseconds: CONTROL_WAIT_MILLISECONDS,
      budget: shared.budget,
    };
    this.#control = new Pool(serverConnection(target, record, 'ninefold-jobs'), {
      max: CONTROL_CONNECTIONS,
      ...options,
    });
    this.#accounts = new Pool(authenticatorConnection(target, record), { max: 1, ...options });
    this.#sender = new HttpSender(shared.policy, shared.requests, owner);
    this.#mails = new MailSender(shared.policy, shared.mailPlaces, shared.cancel);
    const { ref } = record;
    this.#sweeper = new FileSweeper(
      { ref, store: shared.store, server: this.#control, authenticator: this.#accounts },
      shared.sweepOneByOne,
      (error) => shared.onFault(ref, error),
    );
    this.#oldMessages = new OldMessages(this.#control, this.#accounts, (error) => shared.onFault(ref, error));
    this.#notifications = new NotificationMails({
      ...{ server: this.#control, accounts: this.#accounts, url: shared.urlOf(ref) },
      memberOf: (userId) => shared.memberOf(ref, userId),
      onFault: (error) => shared.onFault(ref, error),
    });
  }

  /**
   * Starts all due work. Returns the time of the next check in milliseconds since 1970; null if nothing is scheduled.
   */
  async serve(): Promise<number | null> {
    this.#parts ??= await readParts(this.#control);
    const times = [
      this.#parts.jobs ? await this.#startJobs() : null,
      this.#parts.http ? await this.#startRequests() : null,
      await this.#notifications.start(this.#onChange),
      await this.#startQueue(),
      await this.#sweeper.start(this.#onChange),
      await this.#oldMessages.start(this.#onChange),
    ].filter((time) => time !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Returns true if this is the work of the app with this record, and not of an earlier app with the same ref. */
  isOf({ createdAt, database, serverRef }: AppRecord): boolean {
    const own = this.#record;
    return own.createdAt === createdAt && own.database === database && own.serverRef === serverRef;
  }

  /** Resolves when no work is running. */
  async close(): Promise<void> {
    const others = [this.#mails, this.#texts, this.#sweeper, this.#oldMessages, this.#notifications].map((part) =>
      part.stop(),
    );
    await Promise.all([...this.#runs, ...others]);
    await Promise.all([this.#control.close(), this.#accounts.close()]);
  }

  async #startJobs(): Promise<number | null> {
    const { runner } = this.#shared;
    if (!this.#hasRecovered) await recoverRuns(this.#control, runner);
    const now = Date.now();
    const jobs = await readDueJobs(this.#control, runner, now);
    const hasForeign = jobs.some(({ foreign }) => foreign);
    this.#hasRecovered = !hasForeign;
    const times = hasForeign ? [now + LATER_MILLISECONDS] : [];
    const ready = jobs.filter(({ running, due }) => !running && due !== null);
    for (const { id, due } of ready.sort((a, b) => (a.due ?? 0) - (b.due ?? 0))) {
      if (due === null) continue;
      if (due > now) times.push(due);
      else if (this.#mayRun()) times.push(...(await this.#claim(id, due, now)));
      else times.push(now + LATER_MILLISECONDS);
    }
    return times.length === 0 ? null : Math.min(...times);
  }

  /**
   * Returns true if the app may start another run. The more jobs of the app are running, the more slots must be free
   * before it may start another. So one app leaves most slots to other apps.
   */
  #mayRun(): boolean {
    const { runs, isStopping } = this.#shared;
    const own = this.#runs.size;
    const share = (runs.total * own) / limits.appRunningJobs.default;
    return !isStopping() && own < limits.appRunningJobs.default && runs.openTo(this.#owner) > 0 && runs.free >= share;
  }

  /** Claims a run and starts it. Returns the time of the next check as a list; an empty list while the job runs. */
  async #claim(job: string, due: number, now: number): Promise<number[]> {
    const { runs, runner, server } = this.#shared;
    runs.take(this.#owner);
    let claimed: Awaited<ReturnType<typeof claimRun>> = null;
    try {
      claimed = await claimRun(this.#control, job, due, runner, now);
    } finally {
      if (!claimed) runs.give(this.#owner);
    }
    if (!claimed) return [now + LATER_MILLISECONDS];
    const run = claimed;
    const made = this.#make(job, run.id, () =>
      runCommand({ server, record: this.#record, control: this.#control, runner }, job, run, this.#shared.cancel),
    )
      .catch((error: unknown) => this.#shared.onFault(this.#record.ref, error))
      .finally(() => {
        this.#runs.delete(made);
        runs.give(this.#owner);
      });
    this.#runs.add(made);
    return [];
  }

  async #make(job: string, run: string, command: () => Promise<Outcome | null>): Promise<void> {
    const outcome = await command().catch(async (error: unknown) => {
      await releaseRun(this.#control, run);
      this.#onChange(Date.now() + LATER_MILLISECONDS);
      throw error;
    });
    if (!outcome) return;
    this.#shared.figures.runs[outcome.status]++;
    // #finish fails while PostgreSQL restarts. So it is called again until the end of the run is recorded.
    while (!(await this.#finish(job, run, outcome))) await delay(LATER_MILLISECONDS, undefined, { ref: false });
    this.#onChange(Date.now());
  }

  /** Records the end of a run. Returns false if the database is temporarily unreachable. */
  async #finish(job: string, run: string, outcome: Outcome): Promise<boolean> {
    try {
      await finishRun(this.#control, job, run, outcome);
      return true;
    } catch (error) {
      if (!(error instanceof ConnectionError) || isLastingFailure(error) || this.#shared.cancel.aborted) throw error;
      return false;
    }
  }

  async #startRequests(): Promise<number | null> {
    let { waiting, expires, is_full: isFull } = await readHttpQueue(this.#control);
    const now = Date.now();
    const hasExpired = expires !== null && expires <= now;
    // The function takes most of the time of a check. Webhook records without a response wait for it up to an hour.
    if (hasExpired || isFull || this.#responsesTidiedAt + TIDY_MILLISECONDS <= now) {
      this.#responsesTidiedAt = now;
      await tidyResponses(this.#control);
      if (hasExpired) ({ waiting, expires } = await readHttpQueue(this.#control));
    }
    if (waiting && !this.#sender.isBusy) {
      const { isStopping, isSuspended, onFault } = this.#shared;
      const { ref } = this.#record;
      this.#sender
        .drain(this.#control, () => !isStopping() && !isSuspended(ref))
        .then(
          () => this.#onChange(Date.now()),
          (error: unknown) => {
            onFault(ref, error);
            this.#onChange(Date.now() + LATER_MILLISECONDS);
          },
        );
    }
    return expires === null ? null : Math.max(expires, Date.now() + CONTROL_IDLE_MILLISECONDS);
  }

  /** Starts sending the due mails and text messages (SMS). Returns the time of the next check. */
  async #startQueue(): Promise<number | null> {
    const state = await readQueueState(this.#control);
    this.#shared.figures.setQueue(this.#record.ref, state.waiting, state.since);
    if (state.hasExpired || this.#tidiedAt + TIDY_MILLISECONDS <= Date.now()) {
      this.#tidiedAt = Date.now();
      await tidyMails(this.#control);
    }
    if (state.isTextDue && !this.#texts.isBusy) await this.#startTexts();
    return this.#startMails(state);
  }

  async #startTexts(): Promise<void> {
    const { ref } = this.#record;
    const { policy, isStopping, isSuspended, onFault } = this.#shared;
    const [{ auth }, secrets] = await Promise.all([readMailSettings(this.#control), this.#shared.secretsOf(ref)]);
    const { provider, missing } = textProviderOf(auth, secrets, policy);
    if (!provider) {
      await keepMails(this.#control, missing, 'sms');
      await tidyMails(this.#control);
      return;
    }
    this.#texts
      .run({
        database: this.#control,
        provider,
        perHour: auth.rate_limit_sms_sent,
        mayGoOn: () => !isStopping() && !isSuspended(ref),
      })
      .then(
        (opens) => this.#onChange(opens ?? Date.now()),
        (error: unknown) => {
          onFault(ref, error);
          this.#onChange(Date.now() + LATER_MILLISECONDS);
        },
      );
  }

  async #startMails({ isDue, next }: QueueState): Promise<number | null> {
    if (!isDue || this.#mails.isBusy) return next;
    const { pausedUntil } = this.#mails;
    if (pausedUntil > Date.now()) return next === null ? pausedUntil : Math.min(next, pausedUntil);
    const { ref } = this.#record;
    const [settings, secrets] = await Promise.all([readMailSettings(this.#control), this.#shared.secretsOf(ref)]);
    const siteUrl = settings.auth.site_url ?? this.#shared.urlOf(ref);
    const { server, missing } = mailServerOf(settings.mail, secrets, siteUrl);
    const destination = settings.auth.hook_send_email_enabled ? this.#mailHook(settings.auth, secrets) : server;
    if (!destination) {
      await keepMails(this.#control, missing);
      await tidyMails(this.#control);
      return next;
    }
    const { isStopping, isSuspended, onFault } = this.#shared;
    this.#mails
      .run({
        database: this.#control,
        accounts: this.#accounts,
        server: destination,
        perHour: settings.auth.rate_limit_email_sent,
        render: (mail) => renderMail(mail, settings.mail, siteUrl),
        mayGoOn: () => !isStopping() && !isSuspended(ref),
      })
      .then(async (again) => {
        await tidyMails(this.#control);
        this.#onChange(again);
      })
      .catch((error: unknown) => {
        onFault(ref, error);
        this.#onChange(Date.now() + LATER_MILLISECONDS);
      });
    return next;
  }

  #mailHook(settings: AuthSettings, secrets: Secrets): (mail: ClaimedMail) => Promise<void> {
    const { policy, appOf, sendMailHook, urlOf } = this.#shared;
    const { ref } = this.#record;
    return async (mail) => {
      const { database, hookDurations } = await appOf(ref);
      const context = { app: { ref }, database, settings, secrets, hookDurations, addresses: policy };
      await sendMailHook(context, mail, `${urlOf(ref)}/auth/v1`);
    };
  }
}
