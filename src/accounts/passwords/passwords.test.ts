import { readdirSync, readFileSync } from 'node:fs';
import { hash as argon2 } from '@node-rs/argon2';
import { hash as bcrypt } from '@node-rs/bcrypt';
import { describe, expect, it, vi } from 'vitest';
import { limits } from '../../../contract/limits.ts';
import { areDistinguishable, timeOf } from '../../../test/support/timing.ts';
import { HashThreads } from './hash-threads.ts';
import { decoyHash, hashMilliseconds, needsRehash, ourScheme, PasswordHasher, passwordScheme } from './passwords.ts';

const ARGON2I = 1;
const passwords = new PasswordHasher(1).of('one');

it('PasswordHasher hashes with argon2id, 19 MiB, two passes, one lane and a random salt', async () => {
  const [one, two] = await Promise.all([passwords.hash('correct horse'), passwords.hash('correct horse')]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(one).not.toBe(two);
  expect(needsRehash(one, 'correct horse')).toBe(false);
  expect(await passwords.verify('correct horse', one)).toBe(true);
  expect(await passwords.verify('correct horsf', one)).toBe(false);
});

it.runIf(process.platform === 'linux')(
  'PasswordHasher computes hashes in threads with a lower priority than requests',
  async () => {
    await passwords.hash('correct horse');
    const nices = readdirSync('/proc/self/task').map((id) => {
      const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8');
      // The fields after the name of the program; the nice value is field 19 of the line (proc_pid_stat(5)).
      return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19 - 3];
    });
    expect(nices).toContain('10');
    expect(nices).toContain('0');
  },
);

describe('an imported hash', () => {
  const made = {
    'argon2i of other parameters': () =>
      argon2('päss', { algorithm: ARGON2I, memoryCost: 8192, timeCost: 3, parallelism: 2 }),
    'argon2id of other parameters': () => argon2('päss', { memoryCost: 4096, timeCost: 3 }),
    'bcrypt $2b$': () => bcrypt('päss', 4),
    'bcrypt $2a$': async () => (await bcrypt('päss', 4)).replace('$2b$', '$2a$'),
    'bcrypt $2y$': async () => (await bcrypt('päss', 4)).replace('$2b$', '$2y$'),
  };
  // The hash of Firebase is the example of github.com/firebase/scrypt. The hashes of PBKDF2 were made with Python's
  // hashlib.
  it.each([
    [
      'user1password',
      '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
    ],
    ['correct horse', 'pbkdf2_sha256$1000$seasalt$mQnueSakb748zqBAC1tmWVZsZbi2zPGZarEzTGdfmso='],
    [
      'correct horse',
      '$pbkdf2-sha512$1000$AQIDBAX.//s$S1to4PwftfaNbT6P4nCttroI09p6uVVGRNdiqWYwaGuqipR6dx.JqCFJcLLxzwTzSbyKdK4M6EOq4O/DIXlucQ',
    ],
  ])('verifies %s against a hash of another system', async (password, hash) => {
    expect(await passwords.verify(password, hash)).toBe(true);
    expect(await passwords.verify(`${password}s`, hash)).toBe(false);
    expect(needsRehash(hash, password)).toBe(true);
    expect(passwordScheme(decoyHash(hash) ?? '')).toBe(passwordScheme(hash));
  });

  it.each(Object.entries(made))('verifies, and needsRehash returns true: %s', async (_, make) => {
    const hash = await make();
    expect(await passwords.verify('päss', hash)).toBe(true);
    expect(await passwords.verify('pass', hash)).toBe(false);
    expect(needsRehash(hash, 'päss')).toBe(true);
  });

  it('is not replaced if the password is longer than bcrypt reads, because bcrypt did not verify its end', async () => {
    const longest = 'x'.repeat(72);
    const hash = await bcrypt(longest, 4);
    expect(await passwords.verify(`${longest} and more`, hash)).toBe(true);
    expect(needsRehash(hash, `${longest} and more`)).toBe(false);
    expect(needsRehash(hash, longest)).toBe(true);
  });

  it.each([
    'päss',
    '',
    '$argon2id$v=19$m=19456,t=2,p=1$!$x',
    '$argon2id$v=19$m=4194304,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=19$m=19456,t=900,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '$argon2d$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '$2b$31$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
    '$1$salt$hash',
    '$2b$16$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
    '$argon2id$v=19$m=262144,t=20,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '$fbscrypt$v=1,n=30,r=8,p=1,ss=Bw==,sk=AAAA$AAAA$AAAA',
    '$fbscrypt$v=1,n=14,r=8,p=99,ss=Bw==,sk=AAAA$AAAA$AAAA',
    '$fbscrypt$v=1,n=0,r=0,p=0,ss=Bw==,sk=AAAA$AAAA$AAAA',
    'pbkdf2_sha256$90000000$salt$AAAAAAAAAAAAAAAAAAAAAAAA',
  ])('matches no password if its kind is unknown or its cost too high: %s', async (hash) => {
    expect(passwordScheme(hash)).toBeNull();
    expect(await passwords.verify('päss', hash)).toBe(false);
  });
});

describe('hashMilliseconds', () => {
  it.each([
    ['$2b$10$', 60],
    ['$2a$15$', 1920],
    [ourScheme, 38],
    ['$fbscrypt$v=1,n=14,r=8,p=2,ss=Bw==,sk=AAAA$AAAA$AAAA', 96],
    ['pbkdf2_sha256$600000$salt$AAAAAAAAAAAAAAAAAAAAAAAA', 300],
  ])('returns the processor time of %s: %i ms', (hash, milliseconds) => {
    expect(hashMilliseconds(hash)).toBe(milliseconds);
  });

  it.each(['', '$1$salt$hash', 'päss'])('returns null for a hash that cannot be verified: %s', (hash) =>
    expect(hashMilliseconds(hash)).toBeNull(),
  );
});

describe('AppPasswords', () => {
  it('verifies common hashes of other apps and of the console during a flood of costly hashes of one app', async () => {
    const hasher = new PasswordHasher(1);
    const costly = await bcrypt('wrong', 12);
    const common = await passwords.hash('right');
    let hasEnded = false;
    const flood = Array.from({ length: 4 }, () => hasher.of('flood').verify('päss', costly, []));
    const over = Promise.all(flood).then(() => {
      hasEnded = true;
    });
    for (const app of ['two', 'console', 'flood', 'three']) {
      expect(await hasher.of(app).verify('right', common)).toBe(true);
    }
    expect(hasEnded).toBe(false);
    await over;
  });

  it('refuses hashes above the cost limit of the app and accepts common hashes', async () => {
    const hasher = new PasswordHasher(1);
    const costly = `$2b$15$${'a'.repeat(53)}`;
    const most = Math.floor((limits.costlyHashSeconds.default * 1000) / (hashMilliseconds(costly) ?? 0));
    const slow = vi.spyOn(HashThreads.prototype, 'run').mockResolvedValue(false);
    for (let i = 0; i < most; i++) await hasher.of('one').verify('päss', costly, []);
    await expect(hasher.of('one').verify('päss', costly, [])).rejects.toMatchObject({
      code: 'over_request_rate_limit',
      limit: 'costlyHashSeconds',
      headers: { 'retry-after': expect.stringMatching(/^[1-9]$/) },
    });
    expect(await hasher.of('two').verify('päss', costly, [])).toBe(false);
    slow.mockRestore();
    expect(await hasher.of('one').verify('päss', await passwords.hash('päss'), [])).toBe(true);
  });
});

it('the decoy hash takes the same time to verify as the hash of an account', async () => {
  const hash = await passwords.hash('correct horse');
  const verify = (stored: string | null) => timeOf(() => passwords.verify('wrong', stored));
  const times: [number, number][] = [];
  for (let i = 0; i < 15; i++) times.push([await verify(hash), await verify(null)]);
  expect(areDistinguishable(times), JSON.stringify(times)).toBe(false);
});

describe('decoyHash', () => {
  it.each(['$2b$04$', '$2a$10$', ourScheme, '$argon2i$v=19$m=4096,t=3,p=2$', '$argon2id$v=19$m=65536,t=3,p=4$'])(
    'returns a hash of the scheme and cost of %s that can be verified and matches no password',
    async (prefix) => {
      const decoy = decoyHash(prefix) ?? '';
      expect(passwordScheme(decoy)).not.toBeNull();
      expect(decoy.slice(3)).toContain(prefix.slice(3, prefix.lastIndexOf('$')));
      expect(await passwords.verify('päss', decoy)).toBe(false);
    },
  );

  it.each(['$2b$14$', '$2b$31$', '$argon2id$v=19$m=262144,t=20,p=1$', '$1$salt$', '', 'päss'])(
    'returns null for a scheme that is unknown or too expensive to verify for strangers: %s',
    (prefix) => expect(decoyHash(prefix)).toBeNull(),
  );
});
