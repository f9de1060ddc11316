import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError } from './config-error.ts';
import { ensureSecrets, readOperatorToken } from './secrets.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ninefold-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const file = (name: string) => join(home, 'secrets', name);
const inHome = (path: string) => ({ home: path, databaseUrl: null, masterKeyFile: null, operatorTokenFile: null });

describe('ensureSecrets', () => {
  it('creates secrets that only this user can read, and uses them again at the next start', () => {
    const secrets = ensureSecrets(inHome(home));
    expect(secrets.masterKey).toHaveLength(32);
    expect(ensureSecrets(inHome(home))).toEqual(secrets);
    expect(readOperatorToken(inHome(home))).toBe(secrets.operatorToken);
    expect(statSync(join(home, 'secrets')).mode & 0o777).toBe(0o700);
    expect(statSync(file('master-key')).mode & 0o777).toBe(0o600);
    expect(readFileSync(file('postgres-password'), 'utf8').trim()).toBe(secrets.postgresPassword);
    expect(readdirSync(join(home, 'secrets')).sort()).toEqual(['master-key', 'operator-token', 'postgres-password']);
  });

  it('reports a home that cannot be written', () => {
    const path = join(home, 'file');
    writeFileSync(path, '');
    expect(() => ensureSecrets(inHome(path))).toThrow(/cannot be written.*NINEFOLD_HOME/);
  });

  it('accepts a master key with or without line end and padding', () => {
    const { masterKey } = ensureSecrets(inHome(home));
    for (const text of [masterKey.toString('base64url'), `${masterKey.toString('base64url')}=\r\n`]) {
      writeFileSync(file('master-key'), text);
      expect(ensureSecrets(inHome(home)).masterKey).toEqual(masterKey);
    }
  });

  it.each([
    ['is empty', ''],
    ['is a line end', '\n'],
    ['lost its end', 'c2hvcnQ'],
    ['is longer than a key', 'A'.repeat(60)],
    ['is no base64url', '!'.repeat(43)],
    ['is base64url with something in it', `${'A'.repeat(20)} ${'A'.repeat(23)}`],
  ])('rejects a master key that %s with one sentence, and does not change the file', (_, text) => {
    ensureSecrets(inHome(home));
    writeFileSync(file('master-key'), text);
    expect(() => ensureSecrets(inHome(home))).toThrow(ConfigError);
    expect(() => ensureSecrets(inHome(home))).toThrow(/master-key .*restore it from a backup/);
    expect(readFileSync(file('master-key'), 'utf8')).toBe(text);
  });

  it('rejects a folder in the place of the master key', () => {
    mkdirSync(file('master-key'), { recursive: true });
    expect(() => ensureSecrets(inHome(home))).toThrow(/master-key is a folder/);
  });

  it.skipIf(process.getuid?.() === 0)('rejects a master key that this user may not read', () => {
    ensureSecrets(inHome(home));
    chmodSync(file('master-key'), 0);
    expect(() => ensureSecrets(inHome(home))).toThrow(/master-key cannot be read \(EACCES\)/);
  });

  it.each(['master-key', 'postgres-password'])('does not replace a missing %s if a data folder exists', (name) => {
    ensureSecrets(inHome(home));
    rmSync(file(name));
    mkdirSync(join(home, 'postgres'));
    writeFileSync(join(home, 'postgres/PG_VERSION'), '18');
    expect(() => ensureSecrets(inHome(home))).toThrow(/is missing, and the data folder .*restore it from a backup/);
    rmSync(join(home, 'postgres'), { recursive: true });
    symlinkSync(join(home, 'nowhere'), join(home, 'postgres'));
    expect(() => ensureSecrets(inHome(home))).toThrow(ConfigError);
    expect(readdirSync(join(home, 'secrets'))).not.toContain(name);
  });

  it('creates a new operator token, because no data depends on it', () => {
    const { operatorToken } = ensureSecrets(inHome(home));
    rmSync(file('operator-token'));
    mkdirSync(join(home, 'postgres/base'), { recursive: true });
    expect(ensureSecrets(inHome(home)).operatorToken).not.toBe(operatorToken);
  });

  it('creates no password of PostgreSQL for a node with an external server', () => {
    expect(ensureSecrets({ ...inHome(home), databaseUrl: 'postgres://db' }).postgresPassword).toBe('');
    expect(readdirSync(join(home, 'secrets')).sort()).toEqual(['master-key', 'operator-token']);
  });

  it('reads the secrets from files that variables name, and creates no folder then', () => {
    const { masterKey, operatorToken } = ensureSecrets(inHome(home));
    const given = {
      home: join(home, 'other'),
      databaseUrl: 'postgres://db',
      masterKeyFile: file('master-key'),
      operatorTokenFile: file('operator-token'),
    };
    expect(ensureSecrets(given)).toEqual({ postgresPassword: '', masterKey, operatorToken });
    expect(readOperatorToken(given)).toBe(operatorToken);
    expect(readdirSync(home)).toEqual(['secrets']);
    writeFileSync(file('short'), 'guessed');
    expect(() => ensureSecrets({ ...given, operatorTokenFile: file('short') })).toThrow(
      /short of NINEFOLD_OPERATOR_TOKEN_FILE must hold at least 32 characters/,
    );
    expect(() => ensureSecrets({ ...given, masterKeyFile: file('none') })).toThrow(
      /none of NINEFOLD_MASTER_KEY_FILE does not exist/,
    );
  });

  it('uses a read-only folder of secrets, and names it if a secret is missing there', (context) => {
    const secrets = ensureSecrets(inHome(home));
    const folder = join(home, 'secrets');
    const mount = spawnSync('mount', ['--bind', '-o', 'ro', folder, folder]);
    if (mount.status !== 0) context.skip('This user may not mount a folder read-only.');
    try {
      expect(ensureSecrets(inHome(home))).toEqual(secrets);
    } finally {
      spawnSync('umount', [folder]);
    }
    rmSync(file('operator-token'));
    expect(spawnSync('mount', ['--bind', '-o', 'ro', folder, folder]).status).toBe(0);
    try {
      expect(() => ensureSecrets(inHome(home))).toThrow(/secrets cannot be written: EROFS/);
    } finally {
      spawnSync('umount', [folder]);
    }
  });
});
