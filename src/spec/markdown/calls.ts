import type { CallEntry, CallsChapter } from '../../../contract/specification.ts';
import { code, count, inline, table } from './escape.ts';

const areas = [
  { area: 'auth', title: 'Sign-in and sessions' },
  { area: 'rest', title: 'Tables and views' },
  { area: 'rpc', title: 'Functions' },
] as const;

/** Chapter 7 in Markdown. */
export function callsMarkdown({ calls, extension_functions }: CallsChapter): string {
  const parts = [`${count(calls.length, 'call')}.`];
  for (const { area, title } of areas) {
    const group = calls.filter((call) => call.area === area);
    if (group.length > 0)
      parts.push(`### ${title}`, table(['Call', 'What it does', 'For', 'Takes', 'Answers'], group.map(row)));
  }
  for (const { extension, schema, functions } of extension_functions) {
    parts.push(`And ${count(functions, 'function')} of extension ${inline(extension)} in schema ${inline(schema)}.`);
  }
  return parts.join('\n\n');
}

const row = (call: CallEntry): string[] => [
  code(`${call.method} ${call.path}`),
  inline(call.summary),
  call.roles.map(inline).join(', '),
  call.parameters.map((parameter) => `${inline(parameter.name)}${parameter.required ? '' : '?'}`).join(', '),
  inline(call.returns),
];
