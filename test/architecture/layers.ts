import { type Import, isOfPackage } from './imports.ts';
import { isTest } from './source-files.ts';

/** The layers from top to bottom. A part imports only parts of lower layers, never a part of its own layer. */
const layers: readonly (readonly string[])[] = [
  ['main'],
  ['cli'],
  ['compose'],
  ['http', 'drill'],
  ['rest', 'auth', 'storage', 'realtime', 'specification', 'admin'],
  ['functions'],
  ['access'],
  ['identity'],
  ['accounts'],
  ['watchdog', 'jobs', 'backup', 'monitoring'],
  ['mail'],
  ['apps'],
  ['sql-reader'],
  ['catalog'],
  ['limits', 'calls'],
  ['database', 'files'],
  ['observe'],
  ['errors'],
];
/** The folders of src/specification from top to bottom. A folder imports only lower ones. */
const foldersOfSpecification = ['serve', 'probe', 'compare', 'render', 'derive'];
/** Parts without a layer: only `compose` imports them, and they import nothing of src. */
const besides = ['config', 'postgres'];
/** SQL text, which any part may import. */
const data = ['schema'];

/**
 * Returns the part of src that a path belongs to: its folder, or the name of a file directly in src. Returns null for a
 * path outside of src.
 */
function partOf(path: string): string | null {
  const match = /^src\/(?:([^/]+)\/|([^/]+)\.ts$)/.exec(path);
  return match?.[1] ?? match?.[2] ?? null;
}

const rankOf = (part: string): number => layers.findIndex((layer) => layer.includes(part));

/**
 * Returns the reason why an import of a file in src breaks the rule; null if the import is allowed. A test beside its
 * file may import any part, because it sets up what its subject needs.
 */
export function breachInSource({ from, to, isRelative }: Import): string | null {
  const part = partOf(from);
  if (part === null || isTest(from)) return null;
  if (!isRelative) return breachOfPackage(part, to);
  if (to.startsWith('contract/') || to === 'package.json' || /^templates\/.*\.sql$/.test(to)) return null;
  const target = partOf(to);
  if (target === null) return `src imports only src and contract, not ${to}`;
  if (target === part) return part === 'specification' ? breachInSpecification(from, to) : null;
  if (data.includes(target)) return null;
  if (besides.includes(target)) return part === 'compose' ? null : `only compose imports ${target}`;
  if (besides.includes(part)) return `${part} must not import other folders of src`;
  if (rankOf(part) === -1 || rankOf(target) === -1) return `${part} or ${target} has no layer`;
  return rankOf(target) > rankOf(part) ? null : `${target} is not below ${part}`;
}

function breachInSpecification(from: string, to: string): string | null {
  const [upper = '', lower = ''] = [from, to].map((path) => path.split('/')[2]);
  const [rank, below] = [foldersOfSpecification.indexOf(upper), foldersOfSpecification.indexOf(lower)];
  if (rank === -1 || below === -1) return `src/specification has only ${foldersOfSpecification.join(', ')}`;
  return below >= rank ? null : `${lower} is not below ${upper}`;
}

const owners: readonly { name: string; part: string }[] = [
  { name: 'pg', part: 'database' },
  { name: 'pg-protocol', part: 'database' },
];

function breachOfPackage(part: string, specifier: string): string | null {
  const owner = owners.find(({ name }) => isOfPackage(specifier, name));
  if (owner && owner.part !== part) return `only src/${owner.part} imports ${owner.name}`;
  return null;
}

/** Returns the reason why an import of a file outside of src breaks the rule; null if the import is allowed. */
export function breachOutside({ from, to, isRelative }: Import): string | null {
  if (!isRelative) {
    return from.startsWith('contract/') && !from.endsWith('.test.ts')
      ? 'contract is plain data and imports no package'
      : null;
  }
  const folder = from.split('/')[0];
  if (folder === 'contract') return to.startsWith('contract/') ? null : 'contract imports only contract';
  if (folder === 'web') {
    if (isTest(from) && to.startsWith('test/support/')) return null;
    if (!/^(web|contract)\//.test(to)) return 'web imports only web, contract and packages';
    return isTest(from) ? null : breachInWeb(from, to);
  }
  if (/^test\/(wire|e2e|attack|fault)\//.test(from)) {
    return to.startsWith('src/') ? 'a black-box test imports no source' : null;
  }
  return null;
}

/** The folders of web that each shared folder imports, besides itself. The applications import all of them, never each other. */
const sharedInWeb: Readonly<Record<string, readonly string[]>> = {
  ui: ['language'],
  language: [],
  rows: [],
  files: ['ui', 'language'],
  fields: ['ui', 'language', 'files'],
  portal: ['ui', 'language', 'rows', 'fields', 'files'],
  console: ['ui', 'language', 'rows', 'fields', 'files'],
};
const PAGES = /^web\/console\/(account|apps|changes|chapters|node|overview|sign-in|tools)\//;

function breachInWeb(from: string, to: string): string | null {
  const [, folder = ''] = from.split('/');
  const [root, target = ''] = to.split('/');
  if (root === 'web' && target !== folder && !sharedInWeb[folder]?.includes(target)) {
    return `web/${folder} must not import web/${target}`;
  }
  return from.startsWith('web/console/layout/') && PAGES.test(to) ? 'layout imports no page' : null;
}
