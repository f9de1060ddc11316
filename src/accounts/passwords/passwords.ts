import { availableParallelism } from 'node:os';
import { parseOptions } from '@node-rs/argon2';
import { limits } from '../../../contract/limits.ts';
import { foreignDecoy, foreignHash } from './foreign-hashes.ts';
import { FairQueue, HashBudget, LimitedPauses, queueRefusal } from './hash-queue.ts';
import { type HashTask, HashThreads } from './hash-threads.ts';

/** Processor time in milliseconds, measured on a common processor: of bcrypt of cost 10, and of argon2 per MiB and pass. */
const BCRYPT_MILLISECONDS = 60;
const BCRYPT_REFERENCE = 10;
const ARGON2_MILLISECONDS = 1;
/** The number of bytes of a password that bcrypt reads. It ignores the rest. */
const BCRYPT_BYTES = 72;

/** Parameters of new hashes: argon2id with 19 MiB, two passes, one lane (OWASP, "Password Storage Cheat Sheet"). */
const OURS = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1, outputLen: 32 } as const;
const OUR_PREFIX = `$argon2id$v=19$m=${OURS.memoryCost},t=${OURS.timeCost},p=${OURS.parallelism}$`;

/** The scheme and the cost of hashes that `PasswordHasher` creates. */
export const ourScheme: string = OUR_PREFIX;

const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
const ARGON2 = /^\$argon2(?:i|id)\$v=19\$m=\d{1,7},t=\d{1,3},p=\d{1,3}\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{16,342}$/;

/** Priorities of the threads, see nice(2): requests and PostgreSQL have 0. */
const NICE = 10;
const COSTLY_NICE = 19;

/**
 * Computes and verifies password hashes for one process. Costly hashes have their own thread, so that common hashes
 * never wait for them.
 */
export class PasswordHasher {
  readonly #common: Lane;
  readonly #costly: Lane;
  readonly #budget = new HashBudget();
  readonly #refusals = new LimitedPauses(limits.passwordHashesWaiting.default);
  readonly #turns = new LimitedPauses(limits.passwordHashesWaiting.default);

  /**
   * @param processes How many processes compute hashes on this machine. More threads than processors would only take the
   * processors' caches from each other: a hash works on 19 MiB.
   */
  constructor(processes: number) {
    const each = Math.max(1, Math.floor(availableParallelism() / processes));
    const max = Math.min(limits.concurrentPasswordHashes.default, each);
    this.#common = {
      queue: new FairQueue(limits.concurrentPasswordHashes.default),
      threads: new HashThreads({ max, nice: NICE, keepsOne: true }),
    };
    this.#costly = {
      queue: new FairQueue(1),
      threads: new HashThreads({ max: 1, nice: COSTLY_NICE, keepsOne: false }),
    };
  }

  /** Number of hashes that wait for a thread. */
  get waiting(): number {
    return this.#common.queue.waiting + this.#costly.queue.waiting;
  }

  /** Returns the functions for the accounts of one app. */
  of(app: string): AppPasswords {
    const isFull = () =>
      this.#common.queue.waitingOf(app) + this.#costly.queue.waitingOf(app) >= limits.passwordHashesWaiting.default;
    return new AppPasswords({
      isFull,
      pause: async () => void (await this.#refusals.wait(app, limits.signInRefusalMilliseconds.default)),
      waitForTurn: (milliseconds) => this.#turns.wait(app, milliseconds),
      takeBudget: (milliseconds) => this.#budget.take(app, milliseconds, performance.now()),
      giveBack: (milliseconds) => this.#budget.giveBack(app, milliseconds),
      run: (task, cost) => {
        const { queue, threads } = isCostly(cost) ? this.#costly : this.#common;
        return queue.run(app, cost, () => threads.run(task));
      },
    });
  }
}

interface Lane {
  readonly queue: FairQueue;
  readonly threads: HashThreads;
}

/** The parts of `PasswordHasher` for one app. */
interface AppParts {
  readonly isFull: () => boolean;
  readonly pause: () => Promise<void>;
  readonly waitForTurn: (milliseconds: number) => Promise<boolean>;
  /** @throws over_request_rate_limit */
  readonly takeBudget: (milliseconds: number) => void;
  readonly giveBack: (milliseconds: number) => void;
  readonly run: (task: HashTask, cost: number) => Promise<unknown>;
}

const isCostly = (cost: number): boolean => cost >= limits.costlyHashMilliseconds.default;

/** Computes and verifies password hashes for the accounts of one app. */
export class AppPasswords {
  readonly #parts: AppParts;

  constructor(parts: AppParts) {
    this.#parts = parts;
  }

  /**
   * Returns the argon2id hash of a password, in PHC string format.
   * @throws over_request_rate_limit if too many hashes of the app are being computed
   */
  async hash(password: string): Promise<string> {
    this.#requireRoom();
    return String(
      await this.#parts.run({ make: 'argon2', password, options: OURS }, hashMilliseconds(OUR_PREFIX) ?? 0),
    );
  }

  /**
   * Rejects if a password could not be checked now. A call that asks before it counts the attempt costs no query.
   * @throws over_request_rate_limit after a pause, if too many hashes of the app are being computed
   */
  async requirePlace(): Promise<void> {
    if (!this.#parts.isFull()) return;
    await this.pauseBeforeRefusal();
    throw queueRefusal();
  }

  /**
   * Waits before a sign-in is refused because the node is busy. Without the pause, a client that repeats the request at
   * once would take processor time from other requests. Only a limited number of requests of the app wait; the others
   * are refused at once.
   */
  pauseBeforeRefusal(): Promise<void> {
    return this.#parts.pause();
  }

  /**
   * Lets a sign-in wait for unfinished attempts of the same account or network. Returns false without a wait if too
   * many sign-ins of the app wait already.
   */
  waitForTurn(milliseconds: number): Promise<boolean> {
    return this.#parts.waitForTurn(milliseconds);
  }

  #requireRoom(): void {
    if (this.#parts.isFull()) throw queueRefusal();
  }

  /**
   * Returns true if the password has this hash: argon2id, argon2i, bcrypt, scrypt of Firebase or PBKDF2. If the
   * password is wrong, or there is no hash or one of an unknown kind, it also verifies each of `decoys` whose scheme
   * differs from the hash, so that the time shows neither whether an account exists nor the scheme of its hash.
   *
   * @param decoys Results of `decoyHash`, one per scheme.
   * @throws over_request_rate_limit if too many passwords of the app are being checked, or if costly hashes would
   * exceed the limit costlyHashSeconds
   */
  async verify(password: string, hash: string | null, decoys: readonly string[] = OUR_DECOYS): Promise<boolean> {
    this.#requireRoom();
    const own = hash === null || passwordScheme(hash) === null ? null : hash;
    const scheme = own === null ? null : decoyHash(own);
    const steps = [...(own === null ? [] : [own]), ...decoys.filter((decoy) => decoy !== scheme)];
    // The time of all steps is taken at once, so that a refusal does not show which of them the account has.
    let unused = sum(steps.map(costlyMilliseconds));
    if (unused > 0) this.#parts.takeBudget(unused);
    try {
      for (const step of steps) {
        unused -= costlyMilliseconds(step);
        if ((await this.#verify(password, step)) && step === own) return true;
      }
      return false;
    } finally {
      if (unused > 0) this.#parts.giveBack(unused);
    }
  }

  async #verify(password: string, hash: string): Promise<boolean> {
    const scheme = passwordScheme(hash);
    const cost = hashMilliseconds(hash) ?? 0;
    if (scheme === 'argon2' || scheme === 'bcrypt')
      return (await this.#parts.run({ verify: scheme, password, hash }, cost)) === true;
    const foreign = foreignHash(hash);
    if (foreign === null) return false;
    const key = await this.#parts.run({ ...foreign.task, password }, cost);
    return key instanceof Uint8Array && foreign.matches(key);
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** Returns the expected processor time of a costly hash in milliseconds; 0 for other hashes. */
const costlyMilliseconds = (hash: string): number => {
  const cost = hashMilliseconds(hash) ?? 0;
  return isCostly(cost) ? cost : 0;
};

/**
 * Returns the expected processor time in milliseconds that verifying a password against the hash, or against a hash with
 * this prefix, takes on a common processor. Returns null for a hash that cannot be verified here.
 */
export function hashMilliseconds(hash: string): number | null {
  const bcryptCost = BCRYPT_PREFIX.exec(hash)?.[1];
  if (bcryptCost !== undefined) return BCRYPT_MILLISECONDS * 2 ** (Number(bcryptCost) - BCRYPT_REFERENCE);
  const work = argon2Work(hash);
  return work === null ? (foreignHash(hash)?.cost ?? null) : work * ARGON2_MILLISECONDS;
}

const BCRYPT_PREFIX = /^\$2[aby]\$(\d\d)\$/;
const ARGON2_PREFIX = /^\$argon2id?\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=\d{1,3}\$/;

/** Returns the memory in MiB times the passes of an argon2 hash or its prefix; null for another hash. */
function argon2Work(hash: string): number | null {
  const [, memory, passes] = ARGON2_PREFIX.exec(hash) ?? [];
  return memory === undefined ? null : (Number(memory) / 1024) * Number(passes);
}

/** Salts and hashes of random bytes. The bytes were not stored, so their passwords are unknown. */
const BCRYPT_REST = 'N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy';
const ARGON2_REST = 'MNXfuDOMC/kPf3yL3e3lNw$usIfgZoRJjA/sF97u6n7DRsrl7x1xepB8e8Rc08NtOk';

/**
 * Returns a hash of the same scheme and cost as `hash` (or as a prefix of one) that belongs to no known password.
 * Returns null if the scheme is unknown, or too expensive to verify for each address without an account.
 */
export function decoyHash(hash: string): string | null {
  const bcryptCost = BCRYPT_PREFIX.exec(hash)?.[1];
  if (bcryptCost !== undefined) {
    return Number(bcryptCost) <= limits.decoyBcryptCost.default ? `$2b$${bcryptCost}$${BCRYPT_REST}` : null;
  }
  const work = argon2Work(hash);
  if (work === null) return foreignDecoy(hash);
  const decoy = `${ARGON2_PREFIX.exec(hash)?.[0]}${ARGON2_REST}`;
  return work <= limits.decoyArgon2Mebibytes.default && passwordScheme(decoy) !== null ? decoy : null;
}

const OUR_DECOYS: readonly string[] = [OUR_PREFIX + ARGON2_REST];

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
