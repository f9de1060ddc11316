import { quoteLiteral as literal } from '../../database/statement.ts';
import { type Token, tokensOf } from './statements.ts';

/** Facts about the app's database that decide whether a statement is replaced. */
export interface DatabaseFacts {
  database: string;
  /**
   * Names of the extensions whose files the server has. pg_cron and pg_net are included only if these files belong to
   * the extensions that the node provides.
   */
  available: ReadonlySet<string>;
  /** The tables, views and sequences in platform schemas, as schema.name. */
  platformRelations: ReadonlySet<string>;
  /** The roles that no CREATE ROLE of the app has really created: Ninefold skipped these statements. */
  skippedRoles: ReadonlySet<string>;
  /** The database roles of the app, and those that the scripts of the request create. */
  databaseRoles: ReadonlySet<string>;
  /** False if the database lacks `ninefold.create_database_role`. */
  hasDatabaseRoles: boolean;
  /**
   * False for an attached database, which lacks `ninefold.create_extension`, `ninefold.attempt` and similar functions.
   */
  hasHelpers: boolean;
}

/**
 * The replacement of a statement that a hosted Supabase project accepts, but that PostgreSQL or a server with many apps
 * does not. `run` is the SQL that runs instead, or null if none runs. If `isAttempt` is true, the statement is tried.
 * If an object that it names is missing, it is skipped, and `warning` is reported.
 */
export interface Replacement {
  run: string | null;
  warning: string | null;
  isAttempt?: true;
  /** The command tag that the original statement would have. */
  tag: string;
}

/** The tokens of one statement. Names are unquoted, and other words are in lower case. */
export class StatementReader {
  readonly text: string;
  /** The data of COPY … FROM STDIN. */
  readonly data: string | undefined;
  readonly tokens: readonly Token[];
  readonly names: readonly string[];

  constructor(text: string, data?: string) {
    this.text = text;
    this.data = data;
    this.tokens = [...tokensOf(text)];
    this.names = this.tokens.map(({ kind, text: token }) => {
      if (kind === 'quoted') return token.slice(1, -1).replaceAll('""', '"');
      return kind === 'word' ? token.toLowerCase() : token;
    });
  }

  /** Returns true if the statement begins with these words. */
  is(...words: readonly string[]): boolean {
    return words.every((word, i) => this.names[i] === word);
  }

  /** Returns the position after the first occurrence of these words; -1 if there is none. */
  after(...words: readonly string[]): number {
    const at = this.names.findIndex((_, i) => words.every((word, j) => this.names[i + j] === word));
    return at < 0 ? -1 : at + words.length;
  }

  /** Returns the statement with the token at a position replaced. */
  with(place: number, text: string): string {
    const token = this.tokens[place];
    return token ? this.text.slice(0, token.at) + text + this.text.slice(token.at + token.text.length) : this.text;
  }
}

/**
 * Returns a replacement that tries the statement. If an object that the statement names is missing, the statement is
 * skipped with a warning.
 */
export const attempt = (reader: StatementReader, warning: string): Replacement => ({
  run: `select ninefold.attempt(${literal(reader.text).trim()})`,
  warning,
  isAttempt: true,
  tag: (reader.names[0] ?? '').toUpperCase(),
});
