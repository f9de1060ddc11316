import { hash as argon2Hash, verify as argon2Verify, parseOptions } from '@node-rs/argon2';
import { verify as bcryptVerify } from '@node-rs/bcrypt';
import { limits } from '../../contract/limits.ts';
import { HashQueue } from './hash-queue.ts';

/** argon2id with 19 MiB, two passes, one lane (OWASP, "Password Storage Cheat Sheet"). */
const OURS = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1, outputLen: 32 } as const;
const OUR_PREFIX = `$argon2id$v=19$m=${OURS.memoryCost},t=${OURS.timeCost},p=${OURS.parallelism}$`;

/** Of random bytes that nobody kept, with our parameters. */
const DUMMY = `${OUR_PREFIX}MNXfuDOMC/kPf3yL3e3lNw$usIfgZoRJjA/sF97u6n7DRsrl7x1xepB8e8Rc08NtOk`;

const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const ARGON2 = /^\$argon2(?:i|id)\$v=19\$m=\d{1,7},t=\d{1,3},p=\d{1,3}\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{16,342}$/;

const queue = new HashQueue();

/** The argon2id hash of a password, in PHC string format. Throws over_request_rate_limit when too many are asked for. */
export const hashPassword = (password: string): Promise<string> => queue.run(() => argon2Hash(password, OURS));

/**
 * Whether the password has this hash: argon2id, argon2i or bcrypt. With no hash, or one of another kind, it takes as long as
 * with a hash made here and answers false, so that the time does not tell whether an account exists.
 */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  const scheme = hash === null ? null : passwordScheme(hash);
  if (hash === null || scheme === null) {
    await queue.run(() => argon2Verify(DUMMY, password));
    return false;
  }
  return queue.run(() => (scheme === 'bcrypt' ? bcryptVerify(password, hash) : argon2Verify(hash, password)));
}

/** Whether a hash that was just verified should be replaced by one of `hashPassword`. */
export const needsRehash = (hash: string): boolean => !hash.startsWith(OUR_PREFIX);

/** What a hash is made with; null when it cannot be verified here, or only at a cost above the limits. */
export function passwordScheme(hash: string): 'argon2' | 'bcrypt' | null {
  const cost = BCRYPT.exec(hash)?.[1];
  if (cost !== undefined) return Number(cost) <= limits.importedHashPasses.default ? 'bcrypt' : null;
  if (hash.length > limits.importedHashCharacters.default || !ARGON2.test(hash)) return null;
  try {
    const { memoryCost, timeCost, parallelism } = parseOptions(hash);
    const affordable =
      memoryCost <= limits.importedHashMebibytes.default * 1024 &&
      timeCost <= limits.importedHashPasses.default &&
      parallelism <= 16;
    return affordable ? 'argon2' : null;
  } catch {
    return null;
  }
}
