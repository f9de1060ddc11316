import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Executor } from '../../database/database.ts';
import { jsonAsAuthAdmin, runAsAuthAdmin } from '../run-as-auth-admin.ts';
import { firstRefreshToken } from './sessions.ts';
import { storedRefreshToken } from './stored-refresh-token.ts';

/** The form of GoTrue’s refresh tokens. */
const SIGNATURE_BYTES = 16;
const CHECKSUM_BYTES = 4;
const SESSION = { start: 1, end: 17 } as const;
const VARINT = { bits: 7, mask: 0x7f, more: 0x80 } as const;

interface Parsed {
  readonly sessionId: string;
  readonly counter: bigint;
  /** The bytes that are signed, and the signature. */
  readonly signed: Buffer;
  readonly signature: Buffer;
}

/**
 * Reads a refresh token of GoTrue's version 2: version, session, counter, signature, checksum
 * (`internal/crypto/refresh_tokens.go`). Returns null for any other text.
 */
export function parseGoTrueToken(token: string): Parsed | null {
  const bytes = Buffer.from(token, 'base64url');
  const end = bytes.length - SIGNATURE_BYTES - CHECKSUM_BYTES;
  if (bytes.toString('base64url') !== token || bytes[0] !== 0 || end <= SESSION.end) return null;
  const checked = bytes.subarray(0, -CHECKSUM_BYTES);
  const checksum = createHash('sha256').update(checked).digest().subarray(0, CHECKSUM_BYTES);
  if (!checksum.equals(bytes.subarray(-CHECKSUM_BYTES))) return null;
  const varint = [...bytes.subarray(SESSION.end, end)];
  if (varint.some((byte, i) => ((byte & VARINT.more) === 0) !== (i === varint.length - 1))) return null;
  const counter = varint.reduceRight((sum, byte) => (sum << BigInt(VARINT.bits)) | BigInt(byte & VARINT.mask), 0n);
  const hex = bytes.subarray(SESSION.start, SESSION.end).toString('hex');
  const sessionId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { sessionId, counter, signed: bytes.subarray(0, end), signature: bytes.subarray(end, end + SIGNATURE_BYTES) };
}

/**
 * Makes a refresh token of GoTrue usable here. Sessions of imported projects have such tokens, each signed with a key
 * of its session. The token, or the token before it, becomes the active token of the session. This works only once for
 * each session. Returns false if the text is no such token.
 */
export async function adoptGoTrueToken(database: Executor, token: string): Promise<boolean> {
  const parsed = parseGoTrueToken(token);
  if (parsed === null) return false;
  const session = await jsonAsAuthAdmin<{ key: string | null; counter: string | null }>(
    database,
    `select pg_catalog.jsonb_build_object('key', s.refresh_token_hmac_key, 'counter', s.refresh_token_counter::text)
     from auth.sessions s where s.id = $1::uuid`,
    [parsed.sessionId],
  );
  if (!session?.key || session.counter === null) return false;
  const key = Buffer.from(session.key, 'base64url');
  const expected = createHmac('sha256', key).update(parsed.signed).digest().subarray(0, SIGNATURE_BYTES);
  if (!timingSafeEqual(expected, parsed.signature)) return false;
  const behind = BigInt(session.counter) - parsed.counter;
  if (behind !== 0n && behind !== 1n) return false;
  await runAsAuthAdmin(database, [
    [LOCK, [parsed.sessionId]],
    [ADOPT, [storedRefreshToken(token), parsed.sessionId]],
  ]);
  return true;
}

/**
 * Locks the session, so that of two concurrent tokens the first one wins. The lock is a separate statement, because the
 * next statement then sees the changes that other transactions have committed.
 */
const LOCK = 'select from auth.sessions s where s.id = $1::uuid for update';

/** $1 is the token in its stored form, $2 its session. */
const ADOPT = `${firstRefreshToken('$1', 'session.user_id', 'session.id', 'auth.sessions session')}
where session.id = $2::uuid
  and not exists (select from auth.refresh_tokens t where t.session_id = session.id and t.revoked is not true)
on conflict (token) do nothing`;
