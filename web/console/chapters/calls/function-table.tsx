import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { FunctionEntry, RaisedError } from '../../../../contract/specification-calls.ts';
import { listed, shortId } from '../../format/format.ts';
import { literal } from '../../queries/sql.ts';
import { TextTable, type WordsColumn } from '../list/text-table.tsx';
import styles from './calls.module.css';

const columnsOf = (ref: string): readonly WordsColumn<FunctionEntry>[] => [
  {
    name: 'Function',
    look: 'name',
    cell: (one) => (
      <Link to="/app/$ref/sql" params={{ ref }} search={{ sql: definitionOf(one) }}>
        <code>{shortId(one.id)}</code>
      </Link>
    ),
    title: ({ id }) => id,
  },
  {
    name: 'Description',
    look: 'words',
    cell: (one) => (
      <span className={styles.functionTableWords}>
        {wordsOf(one)}
        <CodeFacts {...one} />
      </span>
    ),
  },
  {
    name: 'Returns',
    look: 'wide',
    cell: ({ returns }) => (returns === '' ? '–' : <code>{returns}</code>),
    title: ({ returns }) => returns,
  },
  {
    name: 'Runs as',
    look: 'wide',
    cell: ({ runs_as }) => (runs_as === null ? 'caller' : <code>{runs_as}</code>),
  },
  { name: 'Changes rows', look: 'wide', cell: ({ volatility }) => (volatility === 'volatile' ? 'it may' : 'no') },
];

/** Table of every function of the app, including those that only triggers and policies use. */
export function FunctionTable({ appRef, functions }: { appRef: string; functions: readonly FunctionEntry[] }) {
  const columns = useMemo(() => columnsOf(appRef), [appRef]);
  return (
    <TextTable
      number="Table 7.2"
      caption="Functions"
      what={['Functions', 'functions']}
      columns={columns}
      rows={functions}
      keyOf={({ id }) => id}
    />
  );
}

/** Describes what the code of a function does: the entities and functions that it uses, and the errors that it raises. */
function CodeFacts({ reaches = [], writes = [], raises = [] }: FunctionEntry) {
  const facts = [
    ['Uses', reaches.map(shortId)],
    ['Changes', writes.map(shortId)],
    ['Raises', raises.map(raisedWords)],
  ] as const;
  return facts.map(
    ([fact, words]) =>
      words.length > 0 && (
        <span key={fact} className={styles.fact}>
          {fact} {listed(words)}.
        </span>
      ),
  );
}

/** Returns words for an error: “No such ticket” (HD003). */
function raisedWords({ sqlstate, message }: RaisedError): string {
  const error = message === null ? 'an error' : `“${message}”`;
  return sqlstate === null ? error : `${error} (${sqlstate})`;
}

function wordsOf({ comment, triggers, effects, kind, language }: FunctionEntry): string {
  const runs = (triggers ?? []).map(({ on, enabled }) => `Runs on ${on}${enabled ? '' : ', switched off'}.`);
  const itself = kind === 'aggregate' ? 'An aggregate.' : `A ${kind} in ${language}.`;
  const sets = (effects ?? []).map((words) => `By its settings: ${words}.`);
  return [comment ?? itself, ...sets, ...runs].join(' ');
}

/** Returns the SQL that shows a function's code in the editor. Aggregates have no code. */
const definitionOf = ({ id, kind }: FunctionEntry): string =>
  kind === 'aggregate'
    ? `select * from pg_aggregate where aggfnoid = ${literal(id)}::regprocedure;`
    : `select pg_get_functiondef(${literal(id)}::regprocedure);`;
