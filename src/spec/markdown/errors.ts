import type { ErrorGroup, ErrorLine, ErrorsChapter } from '../../../contract/specification.ts';
import { code, count, inline, table } from './escape.ts';

/** Titles of the groups, in their order. */
const groups: Readonly<Record<ErrorGroup, string>> = {
  rule: 'Rules of the app',
  transition: 'Transitions',
  function: 'Functions of the app',
  rest: 'Data calls',
  auth: 'Sign-in and sessions',
  postgres: 'PostgreSQL',
  ninefold: 'Ninefold',
};

/** Chapter 8 in Markdown. */
export function errorsMarkdown({ errors }: ErrorsChapter): string {
  const parts = [`${count(errors.length, 'error')} can be met.`];
  for (const [group, title] of Object.entries(groups)) {
    const lines = errors.filter((error) => error.group === group);
    if (lines.length === 0) continue;
    parts.push(
      `### ${title}`,
      table(['Code', 'HTTP', 'What it means', 'What the client does', 'What the member reads'], lines.map(row)),
    );
  }
  return parts.join('\n\n');
}

const row = (error: ErrorLine): string[] => [
  error.code === null ? 'cannot be told' : code(error.code),
  error.status === null ? '' : String(error.status),
  inline(`${error.meaning}${error.caveat === null ? '' : ` (${error.caveat})`}`) +
    (error.origin === null ? '' : ` ${code(error.origin)}`),
  inline(error.action),
  inline(error.member),
];
