import { describe, expect, it } from 'vitest';
import { claimAt, isOwnRole, parseRolePath } from './role-claim.ts';

const claims = {
  role: 'plain',
  realm: { roles: ['guest', 'editor', 'admin-eu'] },
  'https://example.com/role': 'by url',
};

function roleAt(path: string): unknown {
  const steps = parseRolePath(path);
  if (!steps) throw new Error('no path');
  return claimAt(claims, steps);
}

describe('parseRolePath and claimAt', () => {
  it.each([
    ['.role', 'plain'],
    ['$.role', 'plain'],
    ['."https://example.com/role"', 'by url'],
    ["$['https://example.com/role']", 'by url'],
    ['.realm.roles[1]', 'editor'],
    ['.realm.roles[-1]', 'admin-eu'],
    ['.realm.roles[?(@ == "editor")]', 'editor'],
    ["$.realm.roles[?@ == 'editor']", 'editor'],
    ['.realm.roles[?(@ != "guest")]', 'editor'],
    ['.realm.roles[?(@ ^== "adm")]', 'admin-eu'],
    ['.realm.roles[?(@ ==^ "eu")]', 'admin-eu'],
    ['.realm.roles[?(@ *== "dit")]', 'editor'],
    ["$.realm.roles[?search(@, '^adm')]", 'admin-eu'],
    ['$.realm.roles[?search(@, "eu$")]', 'admin-eu'],
    ['$.realm.roles[?search(@, "dit")]', 'editor'],
    ['$.realm.roles[?search(@, "^editor$")]', 'editor'],
  ])('returns the value at %s: %s', (path, role) => expect(roleAt(path)).toBe(role));

  it('does not return inherited properties', () => {
    for (const path of ['.nothing', '.role.length', '.realm.roles[9]', '.constructor', '.__proto__', '.role[0]']) {
      expect(roleAt(path)).toBeUndefined();
    }
  });

  it('returns null for an invalid path', () => {
    for (const path of ['role', '.', '.role[', '.role[?(@ ~ "x")]', '.a..b', '[x]', "$.a[?search(@, '(a+)+$')]"])
      expect(parseRolePath(path)).toBeNull();
  });
});

it.each([
  ['.role', true],
  ['$.role', true],
  ['."role"', true],
  ['no path (', true],
  ['.app_metadata.role', false],
  ['.roles[0]', false],
])("isOwnRole reports for the path %s whether it leads to the claim of Ninefold's own tokens: %s", (path, is) => {
  expect(isOwnRole(path)).toBe(is);
});
