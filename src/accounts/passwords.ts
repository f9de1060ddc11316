import { availableParallelism } from 'node:os';
import { parseOptions } from '@node-rs/argon2';
import { limits } from '../../contract/limits.ts';
import { foreignDecoy, foreignHash } from './foreign-hashes.ts';
import { HashQueue, LimitedPauses } from './hash-queue.ts';
import { HashThreads } from './hash-threads.ts';

/** Parameters of new hashes: argon2id with 19 MiB, two passes, one lane (OWASP, "Password Storage Cheat Sheet"). */
const OURS = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1, outputLen: 32 } as const;
const OUR_PREFIX = `$argon2id$v=19$m=${OURS.memoryCost},t=${OURS.timeCost},p=${OURS.parallelism}$`;

/** The scheme and the cost of hashes that `PasswordHasher` creates. */
export const ourScheme: string = OUR_PREFIX;

const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const ARGON2 = /^\$argon2(?:i|id)\$v=19\$m=\d{1,7},t=\d{1,3},p=\d{1,3}\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{16,342}$/;

/** Computes and verifies password hashes for one process. */
export class PasswordHasher {
  readonly #queue = new HashQueue();
  readonly #threads: HashThreads;
  /** Lets sign-ins wait for unfinished attempts of the same account or network. */
  readonly turns = new LimitedPauses(limits.passwordHashesWaiting.default);

  /**
   * @param processes How many processes compute hashes on this machine. More threads than processors would only take the
   * processors' caches from each other: a hash works on 19 MiB.
   */
  constructor(processes: number) {
    const each = Math.floor(availableParallelism() / processes);
    this.#threads = new HashThreads(Math.min(limits.concurrentPasswordHashes.default, Math.max(1, each)));
  }

  /**
   * Returns the argon2id hash of a password, in PHC string format.
   * @throws over_request_rate_limit if too many hashes are being computed
   */
  hash(password: string): Promise<string> {
    return this.#queue.run(async () => String(await this.#threads.run({ make: 'argon2', password, options: OURS })));
  }

  /**
   * Rejects if a password could not be checked now. A call that asks before it counts the attempt costs no query.
   * @throws over_request_rate_limit after a pause, if too many hashes are being computed
   */
  requirePlace(): Promise<void> {
    return this.#queue.requirePlace();
  }

  /** Waits before a sign-in is refused because the node is busy, see `HashQueue`. */
  pauseBeforeRefusal(): Promise<void> {
    return this.#queue.pauseBeforeRefusal();
  }

  /**
   * Returns true if the password has this hash: argon2id, argon2i, bcrypt, scrypt of Firebase or PBKDF2. If the
   * password is wrong, or there is no hash or one of an unknown kind, it also verifies each of `decoys` whose scheme
   * differs from the hash, so that the time shows neither whether an account exists nor the scheme of its hash.
   *
   * @param decoys Results of `decoyHash`, one per scheme.
   * @throws over_request_rate_limit if too many passwords are being checked
   */
  async verify(password: string, hash: string | null, decoys: readonly string[] = OUR_DECOYS): Promise<boolean> {
    const own = hash === null || passwordScheme(hash) === null ? null : hash;
    return this.#queue.run(async () => {
      if (own !== null && (await this.#verify(password, own))) return true;
      const scheme = own === null ? null : decoyHash(own);
      for (const decoy of decoys) if (decoy !== scheme) await this.#verify(password, decoy);
      return false;
    });
  }

  async #verify(password: string, hash: string): Promise<boolean> {
    const scheme = passwordScheme(hash);
    if (scheme === 'argon2' || scheme === 'bcrypt')
      return (await this.#threads.run({ verify: scheme, password, hash })) === true;
    return (await foreignHash(hash)?.verify(password)) ?? false;
  }
}

/** Salts and hashes of random bytes. The bytes were not stored, so nobody knows them. */
const BCRYPT_REST = 'N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';
const ARGON2_REST = 'MNXfuDOMC/kPf3yL3e3lNw$usIfgZoRJjA/sF97u6n7DRsrl7x1xepB8e8Rc08NtOk';

/**
 * Returns a hash of the same scheme and cost as `hash` (or as a prefix of one) that belongs to no known password.
 * Returns null if the scheme is unknown, or too expensive to verify for each address without an account.
 */
export function decoyHash(hash: string): string | null {
  const bcryptCost = /^\$2[aby]\$(\d\d)\$/.exec(hash)?.[1];
  if (bcryptCost !== undefined) {
    return Number(bcryptCost) <= limits.decoyBcryptCost.default ? `$2b$${bcryptCost}$${BCRYPT_REST}` : null;
  }
  const [prefix, memory, passes] = /^\$argon2id?\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=\d{1,3}\$/.exec(hash) ?? [];
  if (prefix === undefined) return foreignDecoy(hash);
  const work = (Number(memory) / 1024) * Number(passes);
  const decoy = prefix + ARGON2_REST;
  return work <= limits.decoyArgon2Mebibytes.default && passwordScheme(decoy) !== null ? decoy : null;
}

const OUR_DECOYS: readonly string[] = [OUR_PREFIX + ARGON2_REST];

/** The number of bytes of a password that bcrypt reads. It ignores the rest. */
const BCRYPT_BYTES = 72;

/**
 * Returns true if the hash of a password that was just verified should be replaced by one of `PasswordHasher`. A bcrypt
 * hash is kept if the password is longer than bcrypt reads, because the rest of the password was not verified.
 */
export const needsRehash = (hash: string, password: string): boolean =>
  !hash.startsWith(OUR_PREFIX) && !(BCRYPT.test(hash) && Buffer.byteLength(password) > BCRYPT_BYTES);

/** Returns the scheme of a hash; null if it cannot be verified here, or only at a cost above the limits. */
export function passwordScheme(hash: string): 'argon2' | 'bcrypt' | 'firebase' | 'pbkdf2' | null {
  const cost = BCRYPT.exec(hash)?.[1];
  if (cost !== undefined) return Number(cost) <= limits.importedBcryptCost.default ? 'bcrypt' : null;
  if (hash.length > limits.importedHashCharacters.default) return null;
  if (!ARGON2.test(hash)) return foreignHash(hash)?.scheme ?? null;
  try {
    const { memoryCost, timeCost, parallelism } = parseOptions(hash);
    const affordable =
      memoryCost <= limits.importedHashMebibytes.default * 1024 &&
      timeCost <= limits.importedHashPasses.default &&
      (memoryCost / 1024) * timeCost <= limits.importedHashWork.default &&
      parallelism <= 16;
    return affordable ? 'argon2' : null;
  } catch {
    return null;
  }
}
