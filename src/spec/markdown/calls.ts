import type { CallEntry, CallParameter, CallsChapter, RowCall } from '../../../contract/specification.ts';
import { code, count, inline, table } from './escape.ts';

const areas = [
  { area: 'auth', title: 'Sign-in and sessions' },
  { area: 'rest', title: 'Tables and views' },
  { area: 'rpc', title: 'Functions' },
] as const;

/** Chapter 7 in Markdown. */
export function callsMarkdown({ calls, rows, extension_functions }: CallsChapter): string {
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
      parts.push(table(['Call', 'What it does', 'For', 'Takes', 'Answers'], group.map(row)));
    }
  }
  for (const { extension, schema, functions } of extension_functions) {
    parts.push(`And ${count(functions, 'function')} of extension ${inline(extension)} in schema ${inline(schema)}.`);
  }
  return parts.join('\n\n');
}

const told = (call: CallEntry): string[] => [
  code(`${call.method} ${call.path}`),
  inline(call.summary),
  call.roles.map(inline).join(', '),
];

const row = (call: CallEntry): string[] => [...told(call), taken(call.parameters ?? []), inline(call.returns ?? '')];

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
