import type {
  CallEntry,
  CallParameter,
  CallSetting,
  CallsChapter,
  DefinitionEntry,
  FunctionEntry,
  JobEntry,
} from '../../../contract/specification-calls.ts';
import { block, code, count, groupBy, inline, table } from './text.ts';

/**
 * Prints chapter 7 as lines. Each table and each function of the app has one line with all its methods. Calls and
 * settings that are the same in every app are only counted; the JSON contains them.
 */
export function callLines(chapter: CallsChapter): string {
  const { calls, extension_functions, functions, jobs, definitions, settings } = chapter;
  const of = (area: CallEntry['area']) => calls.filter((call) => call.area === area);
  const parts = [`${count(calls.length, 'call')}.`];
  const signIn = of('auth');
  if (signIn.length > 0) parts.push('### Sign-in and sessions', signInLine(signIn));
  const tables = of('rest').filter((call) => call.entity !== null);
  if (tables.length > 0) parts.push('### Tables and views', callTable(tables));
  const rpc = of('rpc');
  if (rpc.length > 0) {
    parts.push('### Functions');
    if (rpc.some(({ reads_only }) => reads_only)) parts.push(readsOnly);
    parts.push(table(['Call', 'What it does', 'For', 'Takes', 'Answers'], functionRows(rpc)));
  }
  for (const { extension, schema, functions } of extension_functions) {
    parts.push(`And ${count(functions, 'function')} of extension ${inline(extension)} in schema ${inline(schema)}.`);
  }
  if (functions.length > 0) parts.push('### What functions do', ...functions.flatMap(functionParts));
  if (jobs.length > 0) parts.push('### Scheduled jobs', jobTable(jobs), 'Times are GMT.');
  parts.push(...definitionParts(definitions));
  parts.push('### Settings', ...settingParts(settings));
  return parts.join('\n\n');
}

/** Returns the number of sign-in calls, which are the same in every app, and those that a setting disables. */
function signInLine(calls: readonly CallEntry[]): string {
  const off = calls.filter((call) => call.roles.length === 0);
  const without =
    off.length === 0 ? '' : ` Switched off: ${off.map(({ method, path }) => code(`${method} ${path}`)).join(', ')}.`;
  return `${count(calls.length, 'call')} of ${code('/auth/v1')}, as in every app.${without}`;
}

const methods = ['GET', 'POST', 'PATCH', 'DELETE'] as const;

/** Returns a table with one line for each table or view, and the roles that may send each method. */
function callTable(calls: readonly CallEntry[]): string {
  const rows = [...groupBy(calls, ({ path }) => path)].map(([path, group]) => [
    code(path),
    ...methods.map(
      (method) =>
        group
          .find((call) => call.method === method)
          ?.roles.map(inline)
          .join(', ') || '–',
    ),
  ]);
  return table(['Path', ...methods], rows);
}

/**
 * Returns one table row for each function. Its calls with GET and with POST share the row, because they differ only in
 * whether they may write.
 */
const functionRows = (calls: readonly CallEntry[]): string[][] =>
  [...groupBy(calls, (call) => call.entity ?? call.id)].flatMap(([, group]) => {
    const [first] = group;
    if (!first) return [];
    return [
      [
        code(`${group.map(({ method }) => method).join(', ')} ${first.path}`),
        inline(first.summary),
        first.roles.map(inline).join(', '),
        taken(first.parameters ?? []),
        `${inline(first.returns ?? '')}${writing(group)}`,
      ],
    ];
  });

/** Returns one line for each object. Extensions share one line, because most are the same in every app. */
function definitionParts(definitions: readonly DefinitionEntry[]): string[] {
  if (definitions.length === 0) return [];
  const extensions = definitions.filter(({ kind }) => kind === 'extension');
  const others = definitions.filter(({ kind }) => kind !== 'extension');
  const versions = extensions.map(({ id, sql }) =>
    inline(`${id.replace(/^extension /, '')} ${sql.replace(/^version /, '')}`),
  );
  return [
    '### Types and other definitions',
    ...(others.length === 0 ? [] : [others.map(({ id, sql }) => `- ${inline(id)}: ${inline(sql)}`).join('\n')]),
    ...(extensions.length === 0 ? [] : [`Extensions: ${versions.join(', ')}.`]),
  ];
}

function settingParts(settings: readonly CallSetting[]): string[] {
  const set = settings.filter(({ set_in, value, default: usual }) => set_in !== 'code' || value !== usual);
  const rest = `${count(settings.length - set.length, 'setting')} ${settings.length - set.length === 1 ? 'has its' : 'have their'} default.`;
  if (set.length === 0) return [rest];
  const rows = set.map(({ key, value, meaning, set_in }) => [code(key), inline(value), inline(meaning), set_in]);
  return [table(['Setting', 'Value', 'Meaning', 'Set in'], rows), rest];
}

/** Ends a comment with a full stop, because more text follows. */
const ended = (comment: string): string => (/[.!?]$/.test(comment.trim()) ? comment.trim() : `${comment.trim()}.`);

/** Returns a line about a function, and its code. */
function functionParts({ id, kind, returns, language, volatility, runs_as, strict, ...one }: FunctionEntry): string[] {
  const about = [
    `${one.comment === null ? '' : `${ended(one.comment)} `}${kind} in ${language}${returns === '' ? '' : `, answers ${returns}`}`,
    volatility,
    runs_as === null ? 'runs with the rights of the caller' : `runs with the rights of ${runs_as}`,
    ...(one.effects ?? []),
    ...(one.parallel ? [`parallel ${one.parallel}`] : []),
    ...(one.leakproof ? ['leakproof'] : []),
    ...(strict ? ['null where an argument is null'] : []),
    ...(one.settings.length === 0 ? [] : [`sets ${one.settings.join(', ')}`]),
    ...(one.reaches?.length ? [`reaches ${one.reaches.join(', ')}`] : []),
    ...(one.writes?.length ? [`writes ${one.writes.join(', ')}`] : []),
    ...(one.raises?.length ? [`raises ${one.raises.map(raisedText).join(', ')}`] : []),
    ...(one.triggers ?? []).map(
      ({ on, name, enabled }) => `runs on ${on} by the trigger ${name}${enabled ? '' : ', which is switched off'}`,
    ),
  ];
  const line = `- **${inline(id)}** (${inline(one.arguments)}): ${about.map(inline).join('; ')}`;
  return one.body === ''
    ? [line]
    : [line, `<details><summary>Code</summary>\n\n${block(one.body.trim())}\n\n</details>`];
}

function jobTable(jobs: readonly JobEntry[]): string {
  const rows = jobs.map(({ id, schedule, when, command, role, active }) => [
    inline(id),
    `${inline(when)} (${code(schedule)})`,
    code(command),
    role === null ? 'the app’s owner' : inline(role),
    active ? 'yes' : 'no',
  ]);
  return table(['Job', 'Runs', 'Command', 'As', 'Active'], rows);
}

const readsOnly =
  'A GET runs in a read-only transaction: if the function writes, the response is 405 (25006). A function that is declared STABLE or IMMUTABLE runs in one with POST too; if it has an INSERT, UPDATE or DELETE of its own, the response is 400 (0A000).';

/** Returns whether a function writes, and which of its calls are refused for this reason. */
function writing(group: readonly CallEntry[]): string {
  const writes = group[0]?.writes;
  const isStable = group.every(({ reads_only }) => reads_only);
  if (writes === undefined) return isStable ? '; only reads' : '';
  const refused = isStable ? 'every call that writes is refused' : 'with POST only';
  return `; ${writes === 'always' ? 'writes' : 'may write'}, ${refused}`;
}

const taken = (parameters: readonly CallParameter[]): string =>
  parameters
    .map(({ name, in: where, required }) =>
      name === '<field>'
        ? where === 'body'
          ? 'fields'
          : 'filters on fields'
        : `${inline(name)}${required ? '' : '?'}`,
    )
    .join(', ');

const raisedText = ({ sqlstate, message }: { sqlstate: string | null; message: string | null }): string =>
  `${message === null ? 'an error' : `“${message}”`}${sqlstate === null ? '' : ` (${sqlstate})`}`;
