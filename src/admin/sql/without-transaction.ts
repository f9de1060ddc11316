import { DatabaseError } from '../../database/database-error.ts';
import { type ScriptStatement, splitStatements, tokensOf } from './statements.ts';

/**
 * Matches scripts with a word of a statement that PostgreSQL may refuse in a transaction. Other scripts, such as seeds
 * of megabytes, are not split.
 */
const mayRefuse = /\b(concurrently|vacuum|reindex|cluster)\b/i;

/** SQLSTATE active_sql_transaction: PostgreSQL refuses the statement in a transaction. */
const IN_TRANSACTION = '25001';

/**
 * Returns the only statement of a migration file if PostgreSQL runs it only outside of transactions; null for a file
 * that runs in one.
 *
 * @throws DatabaseError active_sql_transaction at the statement if the file contains other statements too
 */
export function loneStatement(file: string): ScriptStatement | null {
  if (!mayRefuse.test(file)) return null;
  const statements = splitStatements(file);
  const index = statements.findIndex(({ text }) => refusesTransaction(wordsOf(text)));
  const found = statements[index];
  if (found === undefined) return null;
  if (statements.length === 1 && !found.data) return found;
  const message = `${nameOf(wordsOf(found.text))} cannot run in a transaction, so it must be the only statement of its file.`;
  const hint = 'Move it into a file of its own. A file with several statements runs in one transaction.';
  throw new DatabaseError({ severity: 'ERROR', sqlstate: IN_TRANSACTION, message, hint }, index);
}

/** Returns the words of a statement in upper case, without quoted names, strings and comments. */
const wordsOf = (text: string): string[] =>
  [...tokensOf(text)].filter(({ kind }) => kind === 'word').map((token) => token.text.toUpperCase());

/** Returns true for statements for which PostgreSQL calls PreventInTransactionBlock and that an app's owner may run. */
function refusesTransaction(words: readonly string[]): boolean {
  const [command, ...rest] = words;
  switch (command) {
    case 'VACUUM':
      return true;
    case 'CREATE':
    case 'DROP':
      return /^(UNIQUE )?INDEX CONCURRENTLY\b/.test(rest.join(' '));
    case 'REINDEX':
      return rest.some((word) => ['CONCURRENTLY', 'SCHEMA', 'DATABASE', 'SYSTEM'].includes(word));
    case 'ALTER':
      return rest[0] === 'TABLE' && rest.includes('DETACH') && rest.at(-1) === 'CONCURRENTLY';
    case 'CLUSTER':
      return rest.every((word) => word === 'VERBOSE');
    default:
      return false;
  }
}

const nameOf = (words: readonly string[]): string => {
  const [command = '', ...rest] = words;
  if (command === 'ALTER') return 'ALTER TABLE … DETACH PARTITION … CONCURRENTLY';
  if (command === 'VACUUM' || command === 'CLUSTER') return command;
  return command === 'REINDEX' && !rest.includes('CONCURRENTLY')
    ? `REINDEX ${rest.find((word) => ['SCHEMA', 'DATABASE', 'SYSTEM'].includes(word))}`
    : `${command}${command === 'REINDEX' ? '' : ' INDEX'} CONCURRENTLY`;
};

/**
 * Matches SQLSTATEs of class 42: PostgreSQL refused the statement before it began to build the index, so nothing is
 * left behind.
 */
const refusedAtOnce = /^42/;

/**
 * Returns the error of a statement that ran outside of a transaction, with a hint if the failure leaves an object
 * behind.
 */
export function withRemains(error: DatabaseError, { text }: ScriptStatement): DatabaseError {
  const builds = /^(CREATE (UNIQUE )?INDEX|REINDEX)\b.*\bCONCURRENTLY\b/.test(wordsOf(text).join(' '));
  if (!builds || refusedAtOnce.test(error.sqlstate)) return error;
  const hint = 'PostgreSQL leaves an invalid index behind. Drop it before the next attempt.';
  return new DatabaseError({ ...error.fields, hint }, error.statement);
}
