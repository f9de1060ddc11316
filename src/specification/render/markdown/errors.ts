import { statusOfSqlstate } from '../../../../contract/errors/sqlstate-status.ts';
import type { ErrorLine, ErrorsChapter } from '../../../../contract/specification.ts';
import { groupBy } from '../../../catalog/group.ts';
import { shownSql } from '../../derive/words/shown-sql.ts';
import { code, count, inline, table } from './escape.ts';

/** Words for the groups of errors that are the same in every app, in the order in which the sentence lists them. */
const general = {
  rest: 'data calls',
  auth: 'sign-in',
  storage: 'files',
  postgres: 'PostgreSQL',
  ninefold: 'Ninefold itself',
} as const;

/**
 * Returns chapter 8 in Markdown: the errors of this app's functions, transitions and rules. Errors of every app share
 * one line, because the documentation describes them; the JSON contains them.
 */
export function errorsMarkdown({ errors }: ErrorsChapter): string {
  const of = (group: ErrorLine['group']) => errors.filter((error) => error.group === group);
  const parts: string[] = [];
  const functions = of('function');
  if (functions.length > 0) {
    parts.push(
      '### Functions of the app',
      table(['Code', 'HTTP', 'Meaning', 'Raised by', 'What the client does'], functions.map(functionRow)),
    );
  }
  const transitions = of('transition');
  if (transitions.length > 0) {
    const byCode = groupBy(transitions, (error) => error.code ?? '');
    const lines = [...byCode].map(([name, group]) => {
      const fields = group.map(
        ({ origin, caveat }) => `${inline(shownSql(origin ?? ''))}${caveat === null ? '' : ` (${inline(caveat)})`}`,
      );
      return `- ${code(name)} (${(group[0]?.statuses ?? []).join(', ')}), ${fields.join(', ')}: ${inline(refusals[name] ?? group[0]?.meaning ?? '')}`;
    });
    parts.push('### Transitions', lines.join('\n'));
  }
  const rules = of('rule');
  if (rules.length > 0) {
    const codes = [...groupBy(rules, (error) => error.code ?? '')].map(
      ([sqlstate, group]) => `${code(sqlstate)} (${statusOfSqlstate(sqlstate)}) ${ofRules(sqlstate, group.length)}`,
    );
    parts.push('### Rules', `A write that breaks a rule of chapter 5 is refused: ${codes.join('; ')}.`);
  }
  const counts = Object.entries(general).map(
    ([group, words]) => `${of(group as keyof typeof general).length} of ${words}`,
  );
  parts.push(
    `In addition, calls return the errors of Ninefold that the settings of the app make possible: ${counts.join(', ')}: [/docs/errors](/docs/errors).`,
  );
  return parts.join('\n\n');
}

/** Says why a machine refuses a write, by the code of the error. Chapter 4 lists the transitions. */
const refusals: Readonly<Record<string, string>> = {
  NF001: 'the write changes the state, and no transition of chapter 4 allows this to the caller.',
  NF002: 'a new row does not have the initial state.',
  NF003: 'a field that the transition requires has no value.',
};

const meaning = (error: ErrorLine): string =>
  inline(`${error.meaning}${error.caveat === null ? '' : ` (${error.caveat})`}`);

const functionRow = (error: ErrorLine): string[] => [
  error.code === null ? 'computed' : code(error.code),
  error.statuses.join(', '),
  meaning(error),
  error.origin === null ? '' : code(shownSql(error.origin)),
  inline(error.action),
];

const kinds: Readonly<Record<string, readonly [singular: string, plural: string]>> = {
  '23001': ['restricting reference', 'restricting references'],
  '23502': ['required field', 'required fields'],
  '23503': ['reference', 'references'],
  '23505': ['unique key', 'unique keys'],
  '23514': ['check', 'checks'],
  '23P01': ['exclusion', 'exclusions'],
  '22P02': ['list of values', 'lists of values'],
};

const ofRules = (sqlstate: string, number: number): string => {
  const [singular, plural] = kinds[sqlstate] ?? ['rule', 'rules'];
  return `for ${count(number, singular, plural)}`;
};
