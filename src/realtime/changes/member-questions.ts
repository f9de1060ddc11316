import type { Database, Executor } from '../../database/database.ts';
import { DatabaseError } from '../../database/database-error.ts';
import type { Param, Result, Statement } from '../../database/statement.ts';
import type { Identity } from '../../identity/identity.ts';
import { setupText } from '../../identity/setup-text.ts';

/** Time of one statement that a policy or a filter is asked with. */
const STATEMENT_MILLISECONDS = 2000;
/** Questions of one round trip. */
const QUESTIONS_TOGETHER = 64;

/** A statement that returns one row with `t` or `f` for each image. It runs as a caller and reads only. */
export interface Question {
  readonly as: Identity;
  readonly text: string;
  readonly params: readonly Param[];
  /** Schemas in which operators are found. Policies name theirs. */
  readonly searchPath: string;
  /** Time limit of the statement. */
  readonly milliseconds?: number;
}

/** The result of a question: one value for each image, or the error of PostgreSQL. */
export type Answer = readonly boolean[] | DatabaseError;

/**
 * Asks PostgreSQL, as the callers. Many questions share a round trip. If one of them fails, each question is asked alone, so that only
 * the failed ones return an error.
 * @throws ConnectionError
 */
export async function askMembers(database: Executor, questions: readonly Question[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let at = 0; at < questions.length; at += QUESTIONS_TOGETHER) {
    answers.push(...(await askTogether(database, questions.slice(at, at + QUESTIONS_TOGETHER))));
  }
  return answers;
}

/**
 * Asks questions that name objects of schemas which the callers may not use, as policies may: PostgreSQL checks the right to use a schema
 * only when it reads a name. So the owner of the app prepares the statement, without an image, and the caller runs it.
 * @param owner A connection as the owner of the app, whose code the policies are.
 * @throws ConnectionError
 */
export async function askThroughOwner(owner: Database, questions: readonly Question[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const question of questions) answers.push(await askOne(owner, question));
  return answers;
}

async function askOne(owner: Database, question: Question): Promise<Answer> {
  const { text, params } = question;
  const statement = (first: Param): Statement => ({ text, params: [first, ...params.slice(1)], planKey: 'policies' });
  try {
    return await owner.transaction(async (tx) => {
      await tx.run([{ text: setupText('search_path'), params: [''], planKey: 'setup' }, statement('[]')]);
      const results = await tx.run([setUp(question), statement(params[0] ?? '[]')]);
      return valuesOf(results[1]);
    });
  } catch (error) {
    if (error instanceof DatabaseError) return error;
    throw error;
  }
}

/** Returns the statement that makes a transaction run as the caller of a question. */
const setUp = ({ as, searchPath, milliseconds = STATEMENT_MILLISECONDS }: Question): Statement => ({
  text: setupText('role search_path request.jwt.claims statement_timeout transaction_read_only'),
  params: [as.role, searchPath, as.claimsJson, String(milliseconds), 'on'],
  planKey: 'setup',
});

async function askTogether(database: Executor, questions: readonly Question[]): Promise<Answer[]> {
  try {
    const results = await database.run(
      questions.flatMap((question): Statement[] => {
        const { as, text, params } = question;
        return [setUp(question), { text, params, planKey: as.role }];
      }),
    );
    return questions.map((_, i) => valuesOf(results[2 * i + 1]));
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    if (questions.length === 1) return [error];
    const alone: Answer[] = [];
    for (const question of questions) alone.push(...(await askTogether(database, [question])));
    return alone;
  }
}

const valuesOf = (result: Result | undefined): boolean[] =>
  (result?.rows ?? []).map(([value]) => value?.toString('latin1') === 't');
