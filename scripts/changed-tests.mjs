/**
 * Selects the tests of `npm test -- --changed`. Vitest finds the tests that import a changed file. Tests over HTTP and
 * in the browser import no source, so a table lists the tests that each folder of the sources affects.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import process from 'node:process';

/** All tests that run against a node. */
const all = ['test/wire/', 'test/attack/', 'test/fault/', 'test/e2e/'];
const authentication = [
  'test/wire/auth',
  'test/wire/server-rendering',
  'test/attack/(accounts|auth|ended-by-sql|links|oauth|phones|second-factors|sessions|sign-in|tokens|triggers)',
  'test/e2e/(applications|links|members|passkeys|portal|sign-in-methods)',
];
const specification = [
  'test/wire/(call-detail|errors-and-limits|made-through-views|matrix|portal|probe|rule-hints|specification|states|templates|versions)',
  'test/attack/(alone/large-bodies|hostile-objects|hostile-records|hostile-settings|states|taken-rights)',
  'test/fault/specification-process',
  'test/e2e/(calls|chapters|figures|outdated|rights)',
];
const data = [
  'test/wire/(data|explain|large-pages|request-trace|rest|rule-hints|sqlstates|states|supabase-projects)',
  'test/attack/(slow-readers|bounds|hostile-replies|injection|odd-claims|tokens)',
];
const jobs = [
  'test/wire/(auth-hooks|mail|scheduled-work)',
  'test/attack/(auth-hooks|hostile-settings|links)',
  'test/fault/(mail|scheduled-work)',
  'test/e2e/(links|mail)',
];

/**
 * Patterns for the names of the tests against nodes that a change below a path affects. Each pattern matches the
 * beginning of a name. The longest path decides. A folder of `src` or `web` that is missing here affects all of these
 * tests.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const testsAgainstNodes = {
  'contract/': all,
  'src/': all,
  'src/access/': [...specification, ...data],
  'src/accounts/': [...authentication, 'test/wire/(apps|supabase-projects)', 'test/attack/(builder|teams)'],
  'src/admin/': [
    'test/wire/(apps|call-detail|logs|mail|probe|queue|readme|request-trace|settings|site|specification|states|templates|versions)',
    'test/attack/(app-isolation|attached-database|bounds|builder|database-settings|hostile|injection|members|other-apps|signing-keys|states|teams)',
    'test/e2e/',
  ],
  'src/auth/': authentication,
  'src/catalog/': [...specification, ...data],
  'src/identity/': [
    ...authentication,
    'test/wire/(data|portal-screens|settings)',
    'test/attack/(builder|external-issuers|hostile-keys|members|odd-claims|other-apps|signing-keys|teams)',
    'test/e2e/keys',
  ],
  'src/jobs/': jobs,
  'src/mail/': [...jobs, 'test/wire/auth-links', 'test/e2e/portal'],
  'src/rest/': data,
  'src/rest/explain/': ['test/wire/explain', 'test/e2e/rights'],
  'src/schema/': all,
  'src/specification/': [...specification, 'test/wire/portal-screens'],
  'src/sql-reader/': [...specification, 'test/wire/explain'],
  'src/watchdog/': ['test/attack/alone/app-bounds', 'test/fault/server-faults'],
  'web/': ['test/e2e/'],
  'web/console/': ['test/e2e/(?!portal|links|passkeys)'],
  'web/portal/': ['test/e2e/(content-security|first-load|links|portal)', 'test/wire/portal'],
  'templates/': ['test/wire/(matrix-templates|readme|templates)'],
  'examples/': ['test/wire/server-rendering'],
  'README.md': ['test/wire/readme'],
  'package-lock.json': all,
  'test/support/shared-node-setup.ts': ['test/wire/', 'test/attack/'],
  'test/support/browser-setup.ts': ['test/e2e/'],
  'test/support/build-setup.ts': all,
  'bin/': ['test/wire/(readme|start)'],
};

/**
 * Selects the tests against nodes that changed files affect, without the tests that import a changed file.
 *
 * @param {readonly string[]} changed Files, relative to the root of the clone.
 * @param {readonly string[]} tests Test files, relative to the root of the clone.
 * @returns {string[]}
 */
export function affectedByFolder(changed, tests) {
  const beginnings = new Set(changed.flatMap((file) => testsAgainstNodes[entryOf(file)] ?? []));
  const patterns = [...beginnings].map((beginning) => new RegExp(`^${beginning}`));
  return tests.filter((test) => patterns.some((pattern) => pattern.test(test)));
}

/**
 * Returns the longest path in the table that contains a file; undefined for tests, documents and files outside of the
 * table.
 */
function entryOf(file) {
  if (file in testsAgainstNodes) return file;
  if (/\.test\.\w+$|\.md$/.test(file)) return undefined;
  return Object.keys(testsAgainstNodes)
    .filter((path) => path.endsWith('/') && file.startsWith(path))
    .sort((one, other) => other.length - one.length)[0];
}

/** Returns the test files against nodes, relative to the root. */
export const nodeTests = (root) =>
  all.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => `${folder}${file.replaceAll('\\', '/')}`),
  );

/**
 * Returns the names of the test files that the changes affect. The tests of the architecture read every file, so they
 * are always among them.
 *
 * @param {string} root
 * @param {string} since Commit with which the files are compared; `HEAD` for the changes that are not committed.
 * @returns {string[]}
 */
export function changedTests(root, since) {
  const git = (...args) =>
    execFileSync('git', [...args, '-z'], { cwd: root, encoding: 'utf8' })
      .split('\0')
      .filter((file) => file !== '');
  const changed = [
    ...git('diff', '--name-only', '--merge-base', since),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
  if (changed.length === 0) return [];
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'list', '--filesOnly', '--json', `--changed=${since}`];
  const listed = execFileSync(process.execPath, vitest, { cwd: root, encoding: 'utf8' });
  const importing = JSON.parse(listed).map(({ file }) => relative(root, file));
  return [...new Set([...importing, ...affectedByFolder(changed, nodeTests(root)), 'test/architecture/'])];
}
