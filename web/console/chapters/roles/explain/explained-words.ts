import type {
  AccessExplanation,
  CheckedCondition,
  CheckedPolicy,
  ExplainedCheck,
} from '../../../../../contract/access.ts';
import { counted, listed } from '../../../format/format.ts';
import { plainSql } from '../../../format/plain-sql.ts';
import { conditionSentence } from '../role-text.ts';

const outcomes: Readonly<Record<AccessExplanation['outcome'], string>> = {
  allowed: 'Allowed.',
  partly: 'Allowed in part.',
  hidden: 'Hidden.',
  absent: 'No such row.',
  refused: 'Refused.',
  undecided: 'Undecided.',
};

/** Returns the outcome in one word. */
export const outcomeWord = ({ outcome }: AccessExplanation): string => outcomes[outcome];

/** Returns true if the caller is allowed at least partly. */
export const isOpen = ({ outcome }: AccessExplanation): boolean => outcome === 'allowed' || outcome === 'partly';

/** Describes the response to the member's own call: "The call answers 200 with no row." */
export function replyWords({ actual }: AccessExplanation): string {
  const { status, code, rows } = actual;
  const more =
    code !== null
      ? ` with the code ${code}`
      : rows === null
        ? ''
        : ` with ${rows === 0 ? 'no row' : counted(rows, 'row')}`;
  return `The call answers ${status}${more}.`;
}

const asked: Readonly<Record<ExplainedCheck['of'], string>> = {
  existing: 'the row as it is',
  new: 'the row as it would be',
};

/** Describes which policies were evaluated, and on which row: "Policies for update, of the row as it is". */
const checkTitle = ({ policies_for, of, because }: ExplainedCheck): string =>
  `Policies for ${policies_for}, of ${asked[of]}${because === null ? '' : `, ${because}`}`;

/** Returns the result of a condition in a word; an expression that failed has no result. */
export const resultWord = ({ result, error }: Pick<CheckedPolicy, 'result' | 'error'>): string =>
  error ? 'fails' : result === null ? 'unknown' : result ? 'yes' : 'no';

/** Names of people and rows in place of their ids. */
export interface Names {
  /** The name of the caller, if the caller is a member. */
  readonly caller: string | null;
  /** Returns the name of the row that a field references; undefined if it has none. */
  readonly valueOf: (field: string, value: string) => string | undefined;
  /** Returns the name of an examined row. */
  readonly rowOf: (row: Readonly<Record<string, string | null>>) => string;
}

/** A condition as the page shows it. */
export interface ShownCondition {
  readonly words: string;
  /** The values that decide the condition: "customer: Maren Holt; the caller: Ada Lindqvist". */
  readonly values: string;
  readonly result: string;
  readonly holds: boolean;
}

/** A policy with the conditions that no earlier policy of the row has. */
interface ShownPolicy {
  readonly name: string;
  readonly permissive: boolean;
  readonly result: string;
  readonly holds: boolean;
  readonly conditions: readonly ShownCondition[];
}

interface ShownCheck {
  readonly title: string;
  readonly policies: readonly ShownPolicy[];
}

/** Returns the checks of a row in words. Each condition appears once, at the first policy that has it. Pure. */
export function shownChecks(checks: readonly ExplainedCheck[], names: Names): ShownCheck[] {
  const seen = new Set<string>();
  return checks.map((check) => ({
    title: checkTitle(check),
    policies: check.policies.map((policy) => ({
      ...{ name: policy.name, permissive: policy.permissive, result: resultWord(policy) },
      holds: policy.result === true,
      conditions: partsOf(policy)
        .map((part) => shownCondition(part, names))
        .filter(({ words, values }) => {
          const key = JSON.stringify([words, values]);
          return !seen.has(key) && seen.add(key);
        }),
    })),
  }));
}

/** Returns the outermost conditions of a policy, or the policy itself. Its values are those of its conditions. */
const partsOf = (policy: CheckedPolicy): readonly CheckedCondition[] =>
  policy.conditions.length > 0 ? policy.conditions : [{ ...policy, values: {} }];

function shownCondition(part: CheckedCondition, names: Names): ShownCondition {
  return {
    words: conditionSentence(part.words),
    values: part.error ? `${part.error.code}: ${part.error.message}` : valuesOf(part, names),
    result: resultWord(part),
    holds: part.result === true,
  };
}

/** Returns the values of a condition, with the names of people and rows. Results of other calls are left out. */
const valuesOf = ({ values }: CheckedCondition, names: Names): string =>
  Object.entries(values)
    .flatMap(([expression, value]) => {
      const plain = plainSql(expression);
      if (plain === 'auth.uid()') return [`the caller: ${value === null ? 'nobody' : (names.caller ?? value)}`];
      if (!/^"?[\w .]+"?$/.test(plain)) return [];
      return [`${plain}: ${value === null ? 'empty' : (names.valueOf(plain.replaceAll('"', ''), value) ?? value)}`];
    })
    .join('; ');

/** Returns the explanation as text, for a message. Pure. */
export function explanationText(explanation: AccessExplanation, names: Names): string {
  const { as, operation, target, reason, rows, grants } = explanation;
  return [
    `${operation} on ${target.schema}.${target.name} as ${names.caller ?? as.user_id ?? as.role}`,
    `${outcomeWord(explanation)} ${reason} ${replyWords(explanation)}`,
    ...grants.filter(({ held }) => !held).map(({ privilege, on }) => `Missing: ${privilege} on ${on}`),
    ...rows.flatMap(({ row, checks }) => [
      '',
      names.rowOf(row),
      ...shownChecks(checks, names).flatMap((check) => [
        `  ${check.title}`,
        ...check.policies.flatMap((policy) => [
          `    ${policy.name}: ${policy.result}`,
          ...policy.conditions.map(
            ({ result, words, values }) => `      ${result}: ${words}${values === '' ? '' : ` (${values})`}`,
          ),
        ]),
      ]),
    ]),
    '',
  ].join('\n');
}

/** Returns the key of a row as text: "id 7". */
export const keyWords = (row: Readonly<Record<string, string | null>>, key: readonly string[]): string =>
  listed(key.map((field) => `${field} ${row[field] ?? 'empty'}`));
