import type { AccessExplanation, CheckedPolicy, ExplainedCheck } from '../../../../../contract/access.ts';
import { counted } from '../../../format/format.ts';

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
export const checkTitle = ({ policies_for, of, because }: ExplainedCheck): string =>
  `Policies for ${policies_for}, of ${asked[of]}${because === null ? '' : `, ${because}`}`;

/** Returns the result of a condition; an expression that failed has no result. */
export const resultWord = ({ result, error }: Pick<CheckedPolicy, 'result' | 'error'>): string =>
  error ? 'fails' : result === null ? 'null' : String(result);

/** Returns the explanation as text, for a message. Pure. */
export function explanationText(explanation: AccessExplanation): string {
  const { as, operation, target, reason, rows, grants } = explanation;
  return [
    `${operation} on ${target.schema}.${target.name} as ${as.user_id ?? as.role}`,
    `${outcomeWord(explanation)} ${reason} ${replyWords(explanation)}`,
    ...grants.filter(({ held }) => !held).map(({ privilege, on }) => `Missing: ${privilege} on ${on}`),
    ...rows.flatMap(({ row, checks }) => [
      '',
      Object.entries(row)
        .map(([field, value]) => `${field} = ${value ?? 'null'}`)
        .join(', '),
      ...checks.flatMap((check) => [
        `  ${checkTitle(check)}`,
        ...check.policies.flatMap((policy) => [
          `    ${policy.name}: ${resultWord(policy)}`,
          ...(policy.conditions.length > 0 ? policy.conditions : [policy]).map(
            (condition) => `      ${resultWord(condition)}  ${condition.expression}  [${condition.filled}]`,
          ),
        ]),
      ]),
    ]),
    '',
  ].join('\n');
}
