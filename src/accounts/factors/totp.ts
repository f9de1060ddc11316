import { timingSafeEqual } from 'node:crypto';

/** The size of a secret: 160 bits (RFC 4226, section 4). */
const SECRET_BYTES = 20;

/** Validity of a code in seconds (RFC 6238, section 4.1; GoTrue and all authenticator apps use this value). */
const PERIOD_SECONDS = 30;

/**
 * The number of time steps before and after the current one whose codes are accepted too, because clocks differ
 * (GoTrue, `Skew: 1`).
 */
const SKEW = 1;

/** A new secret for an authenticator app. */
export interface TotpSecret {
  /** The secret in Base32 without padding. */
  readonly secret: string;
  /**
   * The URI for the authenticator app, used as a link or QR code
   * (https://github.com/google/google-authenticator/wiki/Key-Uri-Format).
   */
  readonly uri: string;
  /** The QR code of the URI as an SVG. It contains no `#`, so that a client can put it into a data URI unchanged. */
  readonly qrCode: string;
}

/** Creates the secret of a TOTP factor: 160 random bits. */
export async function makeTotpSecret(issuer: string, account: string): Promise<TotpSecret> {
  const [{ TOTP, Secret }, { toString: toSvg }] = await Promise.all([import('otpauth'), import('qrcode')]);
  const secret = new Secret({ size: SECRET_BYTES });
  const uri = new TOTP({ issuer, label: account, secret, period: PERIOD_SECONDS }).toString();
  const svg = await toSvg(uri, { type: 'svg', errorCorrectionLevel: 'M' });
  const qrCode = svg.replaceAll('#ffffff', 'white').replaceAll('#000000', 'black').trim();
  return { secret: secret.base32, uri, qrCode };
}

/**
 * Returns the time step to which `code` belongs; null if it is not the code of an accepted step. Every step is
 * compared, in constant time.
 *
 * @param now In milliseconds since 1970.
 */
export async function totpStep(secret: string, code: string, now: number): Promise<number | null> {
  const { TOTP, Secret } = await import('otpauth');
  const totp = new TOTP({ secret: Secret.fromBase32(secret), period: PERIOD_SECONDS });
  const given = Buffer.from(code.trim());
  const current = Math.floor(now / 1000 / PERIOD_SECONDS);
  let found: number | null = null;
  for (let step = current - SKEW; step <= current + SKEW; step++) {
    const expected = Buffer.from(totp.generate({ timestamp: step * PERIOD_SECONDS * 1000 }));
    if (given.length === expected.length && timingSafeEqual(given, expected)) found = step;
  }
  return found;
}
