import type {
  CallEntry,
  CallParameter,
  CallsChapter,
  FunctionEntry,
  RowCall,
} from '../../../contract/specification-calls.ts';
import { block, code, count, inline, table } from './escape.ts';

const areas = [
  { area: 'auth', title: 'Sign-in and sessions' },
  { area: 'rest', title: 'Tables and views' },
  { area: 'rpc', title: 'Functions' },
] as const;

/** Chapter 7 in Markdown. */
export function callsMarkdown({ calls, rows, extension_functions, functions, settings }: CallsChapter): string {
  const parts = [`${count(calls.length, 'call')}.`];
  for (const { area, title } of areas) {
    const group = calls.filter((call) => call.area === area);
    if (group.length === 0) continue;
    parts.push(`### ${title}`);
    if (area === 'rest') {
      parts.push(
        table(['Method', 'Takes', 'Answers'], rows.map(commonRow)),
        table(['Call', 'What it does', 'For'], group.map(told)),
      );
    } else {
      if (group.some(({ reads_only }) => reads_only)) parts.push(readsOnly);
      parts.push(table(['Call', 'What it does', 'For', 'Takes', 'Answers'], group.map(row)));
    }
  }
  for (const { extension, schema, functions } of extension_functions) {
    parts.push(`And ${count(functions, 'function')} of extension ${inline(extension)} in schema ${inline(schema)}.`);
  }
  if (functions.length > 0) parts.push('### What functions do', ...functions.flatMap(functionParts));
  parts.push(
    '### How calls are answered',
    table(
      ['Setting', 'Value', 'Meaning', 'Set in'],
      settings.map(({ key, value, meaning, set_in }) => [
        code(key),
        inline(value),
        inline(meaning),
        set_in === 'code' ? 'default' : set_in,
      ]),
    ),
  );
  return parts.join('\n\n');
}

/** The comment with a full stop, as more follows it. */
const ended = (comment: string): string => (/[.!?]$/.test(comment.trim()) ? comment.trim() : `${comment.trim()}.`);

/** What a function is in a line, and its code. */
function functionParts({ id, kind, returns, language, volatility, runs_as, strict, ...one }: FunctionEntry): string[] {
  const about = [
    `${one.comment === null ? '' : `${ended(one.comment)} `}${kind} in ${language}${returns === '' ? '' : `, answers ${returns}`}`,
    volatility,
    runs_as === null ? 'runs with the rights of the caller' : `runs with the rights of ${runs_as}`,
    ...(strict ? ['null where an argument is null'] : []),
    ...(one.settings.length === 0 ? [] : [`sets ${one.settings.join(', ')}`]),
    ...(one.triggers ?? []).map(
      ({ on, name, enabled }) => `runs on ${on} by the trigger ${name}${enabled ? '' : ', which is switched off'}`,
    ),
  ];
  const line = `- **${inline(id)}** (${inline(one.arguments)}): ${about.map(inline).join('; ')}`;
  return one.body === ''
    ? [line]
    : [line, `<details><summary>Code</summary>\n\n${block(one.body.trim())}\n\n</details>`];
}

const told = (call: CallEntry): string[] => [
  code(`${call.method} ${call.path}`),
  inline(call.summary),
  call.roles.map(inline).join(', '),
];

const readsOnly =
  'GET, and POST to a function that is declared stable or immutable, run in a transaction that only reads: what writes in it is answered with 405 (25006). HEAD is answered as GET, without a body. An argument of GET whose name means something else there, such as order, is given in double quotes; one whose value begins as a filter does, such as eq.1, filters what is answered, and can be given by POST alone.';

const row = (call: CallEntry): string[] => [
  ...told(call),
  taken(call.parameters ?? []),
  `${inline(call.returns ?? '')}${call.reads_only ? '; only reads' : ''}`,
];

/** What all calls on rows with one method take and answer. */
const commonRow = ({ method, parameters, returns }: RowCall): string[] => [
  code(method),
  taken(parameters),
  inline(returns),
];

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
