import { limits } from '../../contract/limits.ts';
import type { Executor } from '../database/database.ts';
import { claimText, failExpiredTexts, noteFailure, noteSent } from './mail-queue.ts';
import { pauseSeconds } from './mail-sender.ts';
import { TextError, type TextProvider } from './text-provider.ts';

/** Parameters of one run of `TextSender`, which sends the due text messages (SMS) of an app. */
export interface TextRun {
  readonly database: Executor;
  readonly provider: TextProvider;
  readonly perHour: number;
  /** Returns false if no further text message may be sent. */
  readonly mayGoOn: () => boolean;
}

/** Pause before the next check if the running attempts use all that the limit per hour still allows. */
const LATER_MILLISECONDS = 1000;

/**
 * Sends the queued text messages (SMS) of one app one after the other. The worker that handles a request makes the
 * first attempt (`sendText` in src/auth). This class makes further attempts, and sends messages that a builder wants to
 * repeat.
 */
export class TextSender {
  #running: Promise<number | null> | null = null;

  get isBusy(): boolean {
    return this.#running !== null;
  }

  /** Resolves when no attempt is running. */
  async stop(): Promise<void> {
    await this.#running?.catch(() => undefined);
  }

  /**
   * Sends due text messages. Returns the time at which the limit per hour allows another message, in milliseconds since
   * 1970; null if the limit is not reached, so that there is nothing to wait for.
   */
  run(run: TextRun): Promise<number | null> {
    this.#running ??= sendDue(run).finally(() => {
      this.#running = null;
    });
    return this.#running;
  }
}

async function sendDue({ database, provider, perHour, mayGoOn }: TextRun): Promise<number | null> {
  await failExpiredTexts(database);
  while (mayGoOn()) {
    const { mails, free, opens } = await claimText(database, perHour);
    const text = mails[0];
    if (!text) return free > 0 ? null : Math.max(opens ?? 0, Date.now() + LATER_MILLISECONDS);
    const { id, kind, recipient: to, data, attempt } = text;
    try {
      await provider.send({ id, kind, to, body: data.Message ?? '' });
    } catch (error) {
      if (!(error instanceof TextError)) throw error;
      const isLast = error.isPermanent || attempt >= limits.mailAttempts.default;
      await noteFailure(database, id, withoutCode(error.message, data.Token), isLast ? null : pauseSeconds(attempt));
      continue;
    }
    await noteSent(database, id);
  }
  return null;
}

/** Removes the code from a provider's error message, because a provider may repeat the text message. */
export const withoutCode = (words: string, code: string | undefined): string =>
  code ? words.replaceAll(code, '…') : words;
