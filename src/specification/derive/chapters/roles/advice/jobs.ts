import type { JobEntry } from '../../../../../../contract/specification-calls.ts';
import type { AdviceEntry } from '../../../../../../contract/specification-roles.ts';
import type { DecisionFacts } from '../../../../../catalog/facts.ts';
import type { JobFact } from '../../../../../catalog/jobs.ts';
import { isKeyword, isOperator, type Token, tokenise } from '../../../../../sql-reader/tokens.ts';
import { jobIds } from '../../calls/jobs.ts';
import { type Advice, type AdviceContext, listed } from './advice-context.ts';

/** The number of consecutive failed runs after which a job gets advice. */
const REPEATED = 3;

/** Advises on active jobs whose commands name missing tables or functions, so that each run fails. */
export function jobsWithoutTarget({ facts }: AdviceContext): Advice[] {
  const ids = jobIds(facts.jobs);
  return facts.jobs.flatMap((job) => {
    const missing = job.active ? missingNames(facts, job.command) : [];
    if (missing.length === 0) return [];
    const verb = missing.length === 1 ? 'does' : 'do';
    return [
      {
        about: 'job that fails',
        severity: 'fault',
        on: ids.get(job.jobid) ?? job.jobid,
        detail: listed(missing),
        words: `The command of the job names ${listed(missing)}, which ${verb} not exist: each run fails. Create what is missing, or remove the job.`,
        sql: unschedule(job.jobid),
      },
    ];
  });
}

/**
 * Advises on jobs of chapter 7 whose last runs all failed. This advice depends on figures, so it is not part of the
 * hash.
 */
export function failingJobs(jobs: readonly JobEntry[], known: readonly AdviceEntry[]): AdviceEntry[] {
  return jobs.flatMap(({ id, command, figures }): AdviceEntry[] => {
    const isKnown = known.some(({ about, on }) => about === 'job that fails' && on === id);
    if (isKnown || !figures || figures.failed < REPEATED) return [];
    const message = figures.last_run?.message.split('\n')[0] ?? '';
    return [
      {
        id: `job that fails: ${id}`,
        about: 'job that fails',
        severity: 'fault',
        on: id,
        policies: [],
        words: `The last ${figures.failed} runs of the job failed${message === '' ? '' : ` (${message})`}. Run its command on the SQL page to see why.`,
        sql: command,
      },
    ];
  });
}

const unschedule = (jobid: JobFact['jobid']): string => `select cron.unschedule(${jobid});`;

/** Keywords after which SQL names a table. */
const beforeTables = ['FROM', 'JOIN', 'INTO', 'UPDATE', 'TABLE', 'TRUNCATE', 'VIEW', 'VACUUM', 'ANALYZE'];

/**
 * Returns the tables and functions, with their schemas, that a command names and that are missing. Checks only names
 * with a schema of the app, because the meaning of an unqualified name depends on the search path.
 */
function missingNames(facts: DecisionFacts, command: string): string[] {
  const found = new Set<string>();
  const schemas = new Set([
    'public',
    ...facts.relations.map(({ schema }) => schema),
    ...facts.routines.map(({ schema }) => schema),
  ]);
  for (const { schema } of facts.extension_routines) schemas.delete(schema);
  const read = (tokens: readonly Token[]) => {
    for (const [i, token] of tokens.entries()) {
      if (token.kind === 'group') read(token.items);
      const [dot, name, next] = tokens.slice(i + 1, i + 4);
      if (token.kind !== 'word' || name?.kind !== 'word' || !isOperator(dot, '.')) continue;
      const [schema, object] = [nameOf(token), nameOf(name)];
      const before = tokens[i - 1];
      if (!schemas.has(schema) || isOperator(before, '.')) continue;
      const isOf = (fact: { schema: string; name: string }) => fact.schema === schema && fact.name === object;
      // The brackets in INSERT INTO a.b (…) contain names of columns, so b is not a function.
      const isCall = next?.kind === 'group' && !isKeyword(before, 'INTO');
      const isMissing = isCall
        ? !facts.routines.some(isOf)
        : isKeyword(before, ...beforeTables) && !facts.relations.some(isOf);
      if (isMissing) found.add(`${schema}.${object}${isCall ? '()' : ''}`);
    }
  };
  read(tokenise(command) ?? []);
  return [...found];
}

const nameOf = (token: Token & { kind: 'word' }): string => (token.quoted ? token.value : token.value.toLowerCase());
