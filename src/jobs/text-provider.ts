import { limits } from '../../contract/limits.ts';
import type { TextKind } from '../../contract/mails.ts';
import type { HttpResult, OutgoingRequest } from './send-request.ts';

/** A text message (SMS) with a code. */
export interface Text {
  /** Id of the message, which is the same for each attempt, so that a receiver can drop duplicates. */
  readonly id: string;
  readonly kind: TextKind;
  /** Phone number in E.164 format with the plus sign. */
  readonly to: string;
  readonly body: string;
}

/** A service that delivers text messages to phones. */
export interface TextProvider {
  /**
   * Sends a text message. Returns the provider's id of the message; null if there is none.
   * @throws TextError
   */
  send(text: Text): Promise<string | null>;
}

/** Error of a provider that did not accept a text message. */
export class TextError extends Error {
  override readonly name = 'TextError';
  /** True if the provider would refuse the message again. */
  readonly isPermanent: boolean;
  /** Reason that clients may read: it contains no address of the app's own servers. */
  readonly publicReason: string;

  /** @param message Reason for the builder. */
  constructor(message: string, options: { isPermanent: boolean; publicReason?: string }) {
    super(message.slice(0, limits.mailErrorCharacters.default));
    this.isPermanent = options.isPermanent;
    this.publicReason = (options.publicReason ?? message).slice(0, limits.mailErrorCharacters.default);
  }
}

/**
 * Sends one request to a provider within the limits for text messages.
 * @throws TextError if there is no response.
 */
export type TextRequest = (
  request: Pick<OutgoingRequest, 'url' | 'headers'> & { body: string },
) => Promise<HttpResult & { status: number }>;

/** Returns true for a status after which a retry may succeed. */
export const isTransientStatus = (status: number): boolean =>
  status >= 500 || status === 408 || status === 425 || status === 429;
