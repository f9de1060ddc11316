import { type ServiceName, services } from '../../contract/services.ts';
import type { FoundMigrations } from './migration-files.ts';
import { readBuckets } from './project-buckets.ts';
import { type ProjectFile, readClientFiles } from './project-files.ts';
import type { TomlValue } from './read-toml.ts';

/** A service that a project uses. */
export interface Use {
  readonly service: ServiceName | 'rpc' | 'old project';
  readonly title: string;
  /** Names in the project, such as buckets and channels, without duplicates; places (`file:line`) if there are no names. */
  readonly used: readonly string[];
  readonly runs: boolean;
  readonly note: string;
}

/** Patterns of the uses of a service. The first group is a name; a pattern without a group proves the use alone. */
interface Patterns {
  /** In migrations, seeds and roles.sql, also in the bodies of functions. */
  readonly sql?: readonly RegExp[];
  /** In the code of the front end and of edge functions. */
  readonly code?: readonly RegExp[];
  /** Keys of config.toml. */
  readonly config?: RegExp;
}

/** Patterns for each service. Code of front ends never names the API of Studio. */
const patterns: Readonly<Record<Exclude<ServiceName, 'meta'>, Patterns>> = {
  storage: {
    sql: [/bucket_id\s*=\s*'([^']+)'/gi, /\bstorage\.(?:objects|buckets|foldername|filename|extension)\b/gi],
    code: [/\.storage\s*\.from\(\s*['"`]([^'"`$]+)['"`]/g, /\.storage\s*\.(?:from|createBucket|listBuckets)\(/g],
    config: /^storage\.buckets\.([^.]+)\./,
  },
  realtime: {
    sql: [
      /alter\s+publication\s+"?supabase_realtime"?\s+add\s+table\s+(?:only\s+)?([\w".]+)/gi,
      /\brealtime\.(send|broadcast_changes|messages|topic)\b/gi,
    ],
    code: [/\.channel\(\s*['"`]([^'"`$]+)['"`]/g, /\bsupabase\s*\.channel\(/g],
  },
  functions: {
    sql: [/\/functions\/v1\/([\w-]+)/g, /\bsupabase_functions\.http_request\b/gi],
    code: [/\.functions\s*\.invoke\(\s*['"`]([\w/-]+)/g, /\/functions\/v1\/([\w-]+)/g],
  },
  vault: { sql: [/\bvault\.(create_secret|update_secret|decrypted_secrets|secrets)\b/gi] },
  queues: {
    sql: [/\bpgmq\.create\w*\(\s*(?:queue_name\s*[:=]=?>?\s*)?'([^']+)'/gi, /\bpgmq(?:_public)?\.\w+\s*\(/gi],
    code: [/\.schema\(\s*['"`]pgmq_public['"`]/g],
  },
  jobs: { sql: [/\bcron\.schedule\(\s*(?:job_name\s*[:=]=?>?\s*)?'([^']+)'\s*,/gi, /\bcron\.\w+\s*\(/gi] },
  http: { sql: [/\bnet\.(http_get|http_post|http_delete)\b/gi] },
  vectors: {
    sql: [
      /\bextension\s+(?:if\s+not\s+exists\s+)?"?(vector)\b/gi,
      /\b((?:vector|halfvec|sparsevec)\s*\(\s*\d+\s*\))/gi,
    ],
  },
  graphql: { sql: [/\bgraphql(?:_public)?\.(resolve|graphql)\b/gi], code: [/\/graphql\/v1\b/g] },
  analytics: { code: [/\/analytics\/v1\b/g] },
};

/**
 * Returns the services that a project uses, in the order of `services`, and the functions that its front end calls by
 * `rpc`.
 * @param folder The project, its `supabase` folder, or a folder of migrations. Code is read only for a project.
 * @param functions The names of its edge functions.
 */
export function readUses(
  folder: string,
  { files, roles, seed }: FoundMigrations,
  { config, functions }: { readonly config: ReadonlyMap<string, TomlValue>; readonly functions: readonly string[] },
): Use[] {
  const seeds = typeof seed === 'string' ? [{ name: 'seed.sql', sql: seed }] : (seed ?? []);
  const ofRoles = roles === undefined ? [] : [{ name: 'roles.sql', sql: roles }];
  const sql = [...ofRoles, ...files, ...seeds].map((file) => ({ name: file.name, text: withoutComments(file.sql) }));
  const code = readClientFiles(folder);
  const names = Object.keys(patterns) as (keyof typeof patterns)[];
  const created: Partial<Record<ServiceName, { names: readonly string[]; lacks: (names: string) => string }>> = {
    functions: {
      names: functions,
      lacks: (lacked) => `The folder has no function ${lacked}: these calls answer 404.`,
    },
    storage: {
      names: [...bucketsIn(sql), ...readBuckets(config).map(({ id }) => id)],
      lacks: (lacked) => `Neither migrations nor config.toml create ${lacked}: create these buckets on the page Files.`,
    },
  };
  const found = names.flatMap((service): Use[] => {
    const { sql: inSql = [], code: inCode = [], config: inConfig } = patterns[service];
    const used = [
      ...(inConfig ? [...config.keys()].flatMap((key) => inConfig.exec(key)?.[1] ?? []) : []),
      ...(created[service]?.names ?? []),
      ...matches(sql, inSql),
      ...matches(code, inCode),
    ];
    const { title, runs, note } = services[service];
    if (used.length === 0) return [];
    const all = namesOrPlaces(used);
    const own = created[service];
    // A path may follow the name of a function.
    const lacked = own
      ? all.filter((name) => !used.includes(`@${name}`) && !own.names.includes(name.split('/')[0] ?? ''))
      : [];
    const missing = own && lacked.length > 0 ? ` ${own.lacks(lacked.join(', '))}` : '';
    return [{ service, title, used: all, runs, note: `${note}${missing}` }];
  });
  return [...found, ...rpcUse(sql, code), ...oldProjectUse(sql)];
}

/** Returns the names of matches; for a pattern without a group `@file:line`. */
function matches(files: readonly ProjectFile[], expressions: readonly RegExp[]): string[] {
  return files.flatMap(({ name, text }) =>
    expressions.flatMap((expression) =>
      [...text.matchAll(expression)].map(
        (match) => match[1]?.replaceAll('"', '') ?? `@${name}:${text.slice(0, match.index).split('\n').length}`,
      ),
    ),
  );
}

/** Returns the names without duplicates; the first places if there are no names. */
function namesOrPlaces(used: readonly string[]): string[] {
  const names = new Set(used.filter((each) => !each.startsWith('@')));
  return names.size > 0 ? [...names] : [...new Set(used.map((each) => each.slice(1)))];
}

/** Returns the buckets that the SQL creates by the first value of each row. */
const bucketsIn = (files: readonly ProjectFile[]): string[] =>
  files.flatMap(({ text }) =>
    (text.match(/insert\s+into\s+storage\.buckets\b[^;]*/gi) ?? []).flatMap((statement) =>
      [...statement.matchAll(/(?:\bvalues|\)\s*,)\s*\(\s*'([^']+)'/gi)].flatMap(([, name]) => name ?? []),
    ),
  );

/** Addresses of a project at Supabase. */
const HOSTED = /https:\/\/[a-z]{20}\.supabase\.(?:co|in|net)\b/g;

/** Returns the places where SQL calls the project at Supabase, because a moved app would go on calling it. */
function oldProjectUse(sql: readonly ProjectFile[]): Use[] {
  const used = namesOrPlaces(matches(sql, [HOSTED]));
  if (used.length === 0) return [];
  const note = 'The app goes on calling the project at Supabase: put the address of the app into these lines.';
  return [{ service: 'old project', title: 'Addresses at Supabase', used, runs: false, note }];
}

const CREATED = /\bcreate\s+(?:or\s+replace\s+)?(?:function|procedure)\s+(?:"?\w+"?\.)?"?(\w+)"?\s*\(/gi;
const CALLED = /\.rpc\(\s*['"`](\w+)['"`]/g;

/** Returns the functions that the front end calls; the note names those that no migration creates. */
function rpcUse(sql: readonly ProjectFile[], code: readonly ProjectFile[]): Use[] {
  const created = new Set(matches(sql, [CREATED]).map((name) => name.toLowerCase()));
  const called = [...new Set(matches(code, [CALLED]))];
  if (called.length === 0) return [];
  const lacked = called.filter((name) => !created.has(name.toLowerCase()));
  const note =
    lacked.length === 0
      ? 'The migrations create all of them.'
      : `No migration creates ${lacked.join(', ')}: these calls answer 404 with PGRST202.`;
  return [{ service: 'rpc', title: 'Functions called by rpc', used: called, runs: lacked.length === 0, note }];
}

/** Returns SQL with its comments replaced by blanks, so that lines keep their numbers. Ignores `--` inside of strings. */
const withoutComments = (sql: string): string =>
  sql.replace(/'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//g, (found) =>
    found.startsWith("'") ? found : found.replace(/[^\n]/g, ' '),
  );

/** Number of names that a table shows for each service. */
const SHOWN_NAMES = 6;

/** Returns the rows of the table: service, names, whether it runs, and the note. */
export const rowsOfUses = (uses: readonly Use[]): string[][] =>
  uses.map(({ title, used, runs, note }) => {
    const more = used.length - SHOWN_NAMES;
    const shown = [...used.slice(0, SHOWN_NAMES), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
    return [title, shown, runs ? 'yes' : 'no', note];
  });
