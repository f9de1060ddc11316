import { describe, expect, it } from 'vitest';
import { limits } from '../../../contract/limits.ts';
import { hashApiKey, listApiKeys, withoutKey, withRotatedKey, withSecretKey } from './api-keys.ts';
import { makeKeys } from './make-keys.ts';

const now = '2026-01-02T03:04:05.000Z';
const made = makeKeys('mine');

describe('withSecretKey', () => {
  it('stores only the hash of a new key', () => {
    const { keys, key, added } = withSecretKey(made, 'Worker', now);
    expect(JSON.stringify(keys)).not.toContain(key);
    expect(added).toMatchObject({ name: 'Worker', kind: 'secret', hash: hashApiKey(key), createdAt: now });
    expect(key.startsWith(added.hint)).toBe(true);
    expect(listApiKeys(keys).map(({ id }) => id)).toEqual(['publishable', 'secret', 'anon', 'service_role', added.id]);
  });

  it('refuses a key beyond the limit', () => {
    let keys = made;
    for (let count = 4; count < limits.apiKeys.default; count++) keys = withSecretKey(keys, 'Worker', now).keys;
    expect(() => withSecretKey(keys, 'Worker', now)).toThrow(expect.objectContaining({ code: 'api_keys_full' }));
  });
});

describe('withoutKey', () => {
  it('removes the stored secret of a key that the app was created with, and retains the hash of the key', () => {
    const keys = withoutKey(made, 'service_role', now);
    expect(keys.serviceRoleKey).toBe('');
    expect(keys.apiKeys).toEqual([
      expect.objectContaining({ id: 'service_role', hash: hashApiKey(made.serviceRoleKey), revokedAt: now }),
    ]);
  });

  it('removes the oldest revoked keys above the limit, but never a key that the app was created with', () => {
    let keys = withoutKey(made, 'anon', now);
    for (let count = 0; count <= limits.revokedApiKeys.default; count++) {
      const { keys: more, added } = withSecretKey(keys, String(count), now);
      keys = withoutKey(more, added.id, now);
    }
    const revoked = (keys.apiKeys ?? []).map(({ id, name }) => (id === 'anon' ? id : name));
    expect(revoked).toHaveLength(limits.revokedApiKeys.default + 1);
    expect(revoked).toContain('anon');
    expect(revoked).not.toContain('0');
  });
});

describe('withRotatedKey', () => {
  it('replaces the publishable key in the place where the app shows it', () => {
    const { keys, key } = withRotatedKey(made, 'publishable', now);
    expect(keys.publishableKey).toBe(key);
    expect(listApiKeys(keys).filter(({ revokedAt }) => revokedAt === null)).toHaveLength(4);
  });

  it('replaces the secret key that the app was created with by a key that cannot be revealed', () => {
    const { keys } = withRotatedKey(made, 'secret', now);
    expect(keys.secretKey).toBe('');
  });
});
