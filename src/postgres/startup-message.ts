/** Number of bytes of a message's type and length. */
const HEAD = 5;

/** First message of a client (PostgreSQL manual, "Message Formats"). */
type FirstMessage =
  /** SSLRequest or GSSENCRequest: the client asks for encryption before it logs in. */
  | { readonly kind: 'encryption' }
  /** A StartupMessage with its role, a CancelRequest, or an unknown message. */
  | { readonly kind: 'login'; readonly role: string };

/** Maximum length of a StartupMessage (MAX_STARTUP_PACKET_LENGTH in libpq/pqcomm.h). */
const LONGEST = 10_000;
const SHORTEST = 8;
const PROTOCOL_3 = 3;
const SSL_REQUEST = 80877103;
const GSSENC_REQUEST = 80877104;
/** Maximum length of a role's name (NAMEDATALEN). */
const LONGEST_NAME = 63;

/**
 * Reads the first message of a client. Returns null while it is incomplete, and undefined for bytes that no PostgreSQL
 * client sends.
 */
export function readFirstMessage(bytes: Buffer): FirstMessage | null | undefined {
  if (bytes.length < SHORTEST) return null;
  const length = bytes.readUInt32BE(0);
  if (length < SHORTEST || length > LONGEST) return undefined;
  if (bytes.length < length) return null;
  const code = bytes.readUInt32BE(4);
  if (code === SSL_REQUEST || code === GSSENC_REQUEST) return { kind: 'encryption' };
  if (code >>> 16 !== PROTOCOL_3) return { kind: 'login', role: '' };
  const words = bytes.toString('utf8', SHORTEST, length).split('\0');
  for (let i = 0; i + 1 < words.length; i += 2) {
    if (words[i] === 'user') return { kind: 'login', role: (words[i + 1] ?? '').slice(0, LONGEST_NAME) };
  }
  return { kind: 'login', role: '' };
}

/** Returns an ErrorResponse (PostgreSQL manual, "Error and Notice Message Fields"). */
export function errorResponse(
  severity: 'ERROR' | 'FATAL',
  sqlstate: string,
  message: string,
  { detail, hint }: { detail?: string; hint?: string } = {},
): Buffer {
  const texts = [`S${severity}`, `V${severity}`, `C${sqlstate}`, `M${message}`];
  if (detail !== undefined) texts.push(`D${detail}`);
  if (hint !== undefined) texts.push(`H${hint}`);
  const body = Buffer.from(`${texts.map((text) => `${text}\0`).join('')}\0`);
  const head = Buffer.alloc(5, 'E');
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const AUTHENTICATION = 'R'.charCodeAt(0);

/** Reads the messages of the server until one says that the client is authenticated (AuthenticationOk). */
export class AuthenticationReader {
  #rest = Buffer.alloc(0);

  /** Returns true once the client is authenticated. */
  push(chunk: Buffer): boolean {
    let bytes = Buffer.concat([this.#rest, chunk]);
    // The server may send other messages before AuthenticationOk: NegotiateProtocolVersion, and requests for the
    // password.
    while (bytes.length >= HEAD + 4) {
      if (bytes[0] === AUTHENTICATION && bytes.readUInt32BE(HEAD) === 0) return true;
      const next = 1 + bytes.readUInt32BE(1);
      if (bytes.length < next) break;
      bytes = bytes.subarray(next);
    }
    this.#rest = bytes.subarray(0, LONGEST);
    return false;
  }
}
