import type { PreRequestFact } from '../catalog/pre-request.ts';
import { writesOf } from '../sql-reader/body/writes.ts';
import { addCondition, type Decision, denied, type Refusal, refusal } from './decision.ts';
import type { CommonFacts } from './fact-indexes.ts';
import type { Privileges } from './privileges.ts';

/** The function that PostgreSQL runs for `SELECT name()`, or the error that PostgreSQL raises for every caller. */
type Called = { routine: PreRequestFact } | { refused: Refusal };

/** Returns true for PostgreSQL's own schemas, which every role may use. */
const isOwn = (schema: string): boolean => /^pg_|^information_schema$/.test(schema);

const notFound = (named: readonly PreRequestFact[]) => ({
  refused: refusal(named.length === 0 ? 'which is not there' : 'which requires arguments', '42883'),
});

/**
 * Finds the function that the setting db_pre_request names, as PostgreSQL resolves a name (PostgreSQL docs, "The Schema
 * Search Path").
 *
 * @param schema The schema of the call.
 * @param uses Returns true if the caller may use a schema. PostgreSQL skips the other schemas.
 * @returns Null if the setting is not set.
 */
function called(facts: CommonFacts, schema: string, uses: (schema: string) => boolean): Called | null {
  const { preRequest, schemas, pre_requests: named, extraSearchPath, database } = facts;
  if (preRequest === null) return null;
  const parts = preRequest.split('.');
  if (parts.includes('')) return { refused: refusal('and a name cannot be empty', '42601') };
  if (parts.length > 3) return { refused: refusal('and a name has three parts at most', '42601') };
  if (parts.length === 3 && parts[0] !== database.name)
    return { refused: refusal(`and ${parts[0]} is another database`, '0A000') };
  const of = parts.at(-2);
  if (of !== undefined) {
    if (!isOwn(of) && !schemas.some((one) => one.name === of))
      return { refused: refusal(`and there is no schema ${of}`, '3F000') };
    const inSchema = named.filter((one) => one.schema === of);
    return chosen(inSchema) ?? notFound(inSchema);
  }
  const path = [schema, ...extraSearchPath].filter((one) => isOwn(one) || uses(one));
  const places = path.includes('pg_catalog') ? path : ['pg_catalog', ...path];
  for (const place of places) {
    const found = chosen(named.filter((one) => one.schema === place));
    if (found) return found;
  }
  return notFound(named.filter((one) => places.includes(one.schema)));
}

/**
 * Selects the function of a schema that accepts a call without arguments (PostgreSQL docs, "Function Type Resolution").
 * Returns null if there is none.
 */
function chosen(named: readonly PreRequestFact[]): Called | null {
  const [first, ...more] = named.filter(({ fits }) => fits);
  if (first === undefined) return null;
  if (more.length > 0) return { refused: refusal('and several take such a call', '42725') };
  if (first.kind === 'p') return { refused: refusal('which is a procedure', '42809') };
  if (first.kind !== 'f') return { refused: refusal('which is not a plain function', '42809') };
  if (/^(event_)?trigger$/.test(first.result)) return { refused: refusal('which only triggers can call', '0A000') };
  // PostgreSQL refuses such a function before it runs, so every call fails.
  const isShut = first.volatility !== 'v' && writesOf(first.language, first.body) === 'always';
  return isShut ? { refused: refusal('which writes and is not declared VOLATILE', '0A000') } : { routine: first };
}

const nothingWritten = refusal('which writes, and nothing may be written by a call that only reads', '25006');

/**
 * Returns whether the function fails in a read-only transaction, as far as the function's code shows: always, at times
 * or never.
 */
function writesInReading({ language, body }: PreRequestFact): 'always' | 'at times' | 'never' {
  const writes = writesOf(language, body);
  // A function that reads the request method is assumed to write only in calls that may write.
  return writes === 'at times' && body.includes('request.method') ? 'never' : writes;
}

/**
 * Returns which calls the function that runs before each data call refuses in all exposed schemas, as the end of a
 * sentence. Returns null if it refuses none.
 */
export function refusalOfPreRequest(facts: CommonFacts): string | null {
  const all = facts.exposedSchemas.map((schema) => called(facts, schema, () => true));
  const refused = all.map((one) => (one !== null && 'refused' in one ? one.refused.reason : null));
  if (refused.length > 0 && refused.every((one) => one !== null)) return `${refused[0]}: every data call is refused`;
  const isWriting = all.every((one) => one !== null && 'routine' in one && writesInReading(one.routine) === 'always');
  return isWriting && all.length > 0 ? `${nothingWritten.reason}: every call that only reads is refused` : null;
}

/**
 * Returns the change that the pre-request function makes to the decision of a call; null for no change. `reads`: the
 * call runs in a read-only transaction.
 */
export type PreRequestCheck = (
  role: number,
  schema: string,
  reads: boolean,
) => ((decision: Decision) => Decision) | null;

/** Returns the checks of the pre-request function that each data call of a role must pass first. */
export function preRequestCheck(facts: CommonFacts, privileges: Privileges): PreRequestCheck {
  const runs = `db_pre_request runs ${facts.preRequest}() before each call`;
  return (role, schema, reads) => {
    const what = called(facts, schema, (one) => privileges.usesSchema(role, one));
    if (what === null) return null;
    const refused =
      ({ reason, code }: Refusal) =>
      () => ({ ...denied(`${runs}, ${reason}`, code), untried: 'request' as const });
    if ('refused' in what) return refused(what.refused);
    const { routine } = what;
    if (!isOwn(routine.schema) && !privileges.usesSchema(role, routine.schema))
      return refused(refusal('and the role has no USAGE on its schema'));
    if (!privileges.holds(role, routine.grants, 'EXECUTE')) return refused(refusal('which the role may not execute'));
    const writes = reads ? writesInReading(routine) : 'never';
    if (writes === 'never') return null;
    if (writes === 'always') return refused(nothingWritten);
    return (decision) =>
      decision.verdict === 'never'
        ? decision
        : addCondition(decision, `where ${facts.preRequest}() writes nothing`, `${runs}, ${nothingWritten.reason}`);
  };
}
