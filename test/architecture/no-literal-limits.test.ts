import { expect, it } from 'vitest';
import { isTest, type SourceFile, sourceFiles } from './source-files.ts';

/**
 * A number is in contract/limits if it limits requests. Any other number that bounds something is a constant in
 * capitals at the top of the file that uses it, before the first function, with a comment. These forms of numbers are
 * suspicious:
 * - a constant in capitals;
 * - a limit of zod, of a body's field or of a pattern's quantifier;
 * - the length of a truncated string or list;
 * - a timer;
 * - a property or comparison whose name contains a size or a time;
 * - LIMIT or an interval in SQL.
 */
const suspicious: readonly RegExp[] = [
  /\bconst [A-Z][A-Z0-9_]* = -?[\d][\d_.]*(?: \* [\d_]+)*;/g,
  /\.(?:max|min|length|lte|gte)\(\s*\d[\d_]*(?:\s*\*\s*[\d_]+)*\s*[,)]/g,
  /\b(?:text|line)\(\s*\d[\d_]*(?:\s*\*\s*[\d_]+)*\s*[,)]/g,
  /(?<=[\]).])\{\d+,\d{2,}\}/g,
  /\.(?:slice|substring)\(0, \d[\d_]*\)/g,
  /\b(?:setTimeout|setInterval)\([^;]*?, \d[\d_]*\)/g,
  /\b\w*(?:[mM]ax|[lL]imit|[tT]imeout|[bB]ytes|[sS]econds|[lL]ength|[sS]ize|[dD]epth|[cC]ount)\w*\s*(?::|=|>|>=|<|<=)\s*\d[\d_]*(?:\s*\*\s*[\d_]+)*(?=[,;)\s}])/g,
  /\blimit \d+\b/gi,
  /\binterval '\d+ \w+'/gi,
];

/** Numbers up to 8 are not suspicious: they count decimal places or cases and limit nothing that grows. */
const SMALL = 8;

interface Finding {
  path: string;
  text: string;
  /** True for a constant with a comment before the first function of the file. */
  isConstant: boolean;
}

function findings({ path, text }: SourceFile): Finding[] {
  const code = withoutComments(text);
  const firstFunction = FUNCTION.exec(code)?.index ?? code.length;
  return suspicious.flatMap((pattern) =>
    [...code.matchAll(pattern)].flatMap(({ 0: found, index }) => {
      const numbers = [...found.matchAll(/(?<![\w.])\d[\d_]*(?![\w.])/g)].map(([number]) =>
        Number(number.replaceAll('_', '')),
      );
      if (!numbers.some((number) => number >= SMALL)) return [];
      const isConstant = index < firstFunction && hasComment(text.slice(0, index));
      return [{ path, text: found.replace(/\s+/g, ' '), isConstant }];
    }),
  );
}

const FUNCTION =
  /^(?:export )?(?:async )?(?:function|(?:abstract )?class) |^(?:export )?const \w+(?:: [^=]+)? = (?:async )?(?:<[^>]*>)?\([^)]*\)[^=]*=>/m;

/** Returns true if the text before a constant ends with a comment, or with a comment and other constants of a group. */
const hasComment = (before: string): boolean =>
  /(?:\*\/|(?:^|\n)\/\/[^\n]*)\n(?:(?:export )?const [A-Z][A-Z0-9_]* = [^\n]*;\n)*(?:export )?$/.test(before);

/** Replaces comments by blanks, so that every index stays the same. */
const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/g, (comment) => comment.replace(/[^\n]/g, ' '));

/** The numbers that are part of a format or of a name, by file: a reason and the code that contains the number. */
const allowed: Readonly<Record<string, readonly (readonly [reason: string, ...texts: string[]])[]>> = {
  'src/accounts/sessions/device-words.ts': [['how much of an unknown program is repeated', '{1,40}']],
  'src/accounts/passwords/foreign-hashes.ts': [
    ['the form of hashes', '{1,128}', '{16,88}'],
    ['the memory of scrypt (RFC 7914)', 'maxmem = 128'],
  ],
  'src/accounts/import/imported-account.ts': [['the form of a UUID', '.slice(0, 8)']],
  'src/accounts/passwords/passwords.ts': [['the salt and the hash of a PHC string', '{11,86}', '{16,342}']],
  'src/admin/mails/mail-templates.ts': [['the form of a language tag (RFC 5646, section 4.4.1)', '{2,35}']],
  'src/admin/specification/versions.ts': [['the beginning of a hash', '{12,64}']],
  'src/apps/registry/app-record.ts': [['the form of a ref', '{2,39}']],
  'src/apps/registry/import-key.ts': [['the form of a key id', '{1,128}']],
  'src/apps/statistics/read-statistics.ts': [
    ['the lengths of an hour, a day and a week', 'seconds: 3600', 'seconds: 86_400', 'seconds: 604_800'],
    ['the last day by hour', "interval '23 hours'", "interval '25 hours'"],
  ],
  'src/realtime/usage/delays.ts': [['the form of a time', '{10,40}']],
  'src/auth/sign-in/addresses.ts': [
    ['a label of a domain name (RFC 1035, section 2.3.4)', '{0,61}'],
    ['a phone number of E.164', '{1,14}'],
  ],
  'src/auth/admin/custom-providers.ts': [['the form of an identifier, as in GoTrue', '{0,41}']],
  'src/auth/sign-in/code-challenge.ts': [['a code challenge of RFC 7636, section 4.2', '{43,128}']],
  'src/auth/second-factors/passkey-challenge.ts': [['the groups of a UUID', '.slice(0, 8)']],
  'src/http/site-pages.ts': [['the length of a hash in a file name', '{9,64}']],
  'src/specification/render/markdown/specification.ts': [['a short hash', '.slice(0, 12)']],
  'src/specification/render/html/specification.ts': [['a short hash', '.slice(0, 12)']],
  'src/specification/render/openapi/document.ts': [['a short hash', '.slice(0, 12)']],
  'src/specification/render/portal/member-words.ts': [['how long the label in a comment is', '{1,80}']],
  'src/watchdog/sessions.ts': [['the form of a ref', '{2,39}']],
};

/** Folders whose numbers limit no request of an app: the commands, and the start and stop of the node. */
const outside = /^src\/(?:cli|postgres)\//;

it('every number that bounds something is in contract/limits, or a constant with a comment at the top of its file', () => {
  const sources = sourceFiles(['src']).filter(
    ({ path }) => path.endsWith('.ts') && !isTest(path) && !outside.test(path),
  );
  const found = sources.flatMap(findings).filter(({ isConstant }) => !isConstant);
  const unexplained = found.filter(
    ({ path, text }) => !(allowed[path] ?? []).some(([, ...texts]) => texts.includes(text)),
  );
  expect(unexplained.map(({ path, text }) => `${path}: ${text}`)).toEqual([]);
  const explained = Object.entries(allowed).flatMap(([path, reasons]) =>
    reasons.flatMap(([, ...texts]) => texts.map((text) => ({ path, text }))),
  );
  const idle = explained.filter((one) => !found.some(({ path, text }) => path === one.path && text === one.text));
  expect(idle.map(({ path, text }) => `${path}: ${text}`)).toEqual([]);
});

it('accepts a constant with a comment, and rejects the same constant without a comment or after a function', () => {
  const isAccepted = (text: string) => findings({ path: 'src/example.ts', text }).every(({ isConstant }) => isConstant);
  expect(isAccepted('/** Pause between two attempts. */\nconst PAUSE = 50;\n')).toBe(true);
  expect(isAccepted('// Pause, and the longest pause.\nconst PAUSE = 50;\nexport const LONGEST = 500;\n')).toBe(true);
  expect(isAccepted('const PAUSE = 50;\n')).toBe(false);
  expect(isAccepted('/** Waits. */\n\nconst PAUSE = 50;\n')).toBe(false);
  expect(isAccepted('function wait() {}\n/** Pause. */\nconst PAUSE = 50;\n')).toBe(false);
});

it.each([
  'const MAX_ROWS = 5000;',
  'const schema = z.string().max(4096);',
  'const schema = z.string().max(16 * 1024);',
  'const REQUEST_ID = /^[a-z]{1,128}$/;',
  'const schema = z.object({ phone: text(64), name: line(120) });',
  'socket.setTimeout(30000, () => undefined); setTimeout(end, 30_000)',
  'if (body.length > 65536) throw refuse();',
  'const options = { bodyLimit: 10 * 1024 * 1024 };',
  'return rows.slice(0, 100);',
  'const sql = `select 1 from t order by a limit 50`;',
  "const sql = `where at > now() - interval '90 days'`;",
])('finds the number in: %s', (text) => {
  expect(findings({ path: 'src/example.ts', text })).not.toEqual([]);
});

it.each([
  'const HEAD = 5;',
  'text.slice(0, 1)',
  'limits.bodyBytes.default',
  '// at most 5000: const MAX = 5000;',
  'status: 409',
])('finds no number in: %s', (text) => expect(findings({ path: 'src/example.ts', text })).toEqual([]));
