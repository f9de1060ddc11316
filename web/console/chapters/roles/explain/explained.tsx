import { IconCheck, IconX } from '@tabler/icons-react';
import type {
  AccessExplanation,
  CheckedCondition,
  CheckedPolicy,
  ExplainedCheck,
  ExplainedRow,
} from '../../../../../contract/access.ts';
import { classNames } from '../../../../ui/class-names.ts';
import { CopyButton } from '../../../../ui/copy-button.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import styles from './explain.module.css';
import { checkTitle, explanationText, isOpen, outcomeWord, replyWords, resultWord } from './explained-words.ts';

/** Shows an explanation: the outcome and its reason, then every evaluated policy in order, with the values inserted. */
export function Explained({ explanation }: { explanation: AccessExplanation }) {
  const { reason, agrees, grants, rows, more_rows, beneath } = explanation;
  const open = isOpen(explanation);
  const missing = grants.filter(({ held }) => !held);
  const behind = beneath.filter(({ grant }) => !grant.held);
  return (
    <div role="status">
      <p className={classNames(styles.outcome, open ? styles.open : styles.closed)}>
        <b>{outcomeWord(explanation)}</b> {reason} {replyWords(explanation)}
      </p>
      {!agrees && (
        <p className={styles.doubt}>The actual result differs from this explanation. Do not rely on the explanation.</p>
      )}
      {(missing.length > 0 || behind.length > 0) && (
        <ul className={styles.trace}>
          {missing.map(({ privilege, on, needed, missing_columns }) => (
            <li key={`${privilege} ${on} ${needed}`}>
              <Condition
                expression={`${privilege} on ${on}`}
                filled={[needed, missing_columns.length > 0 && `not on ${missing_columns.join(', ')}`]
                  .filter(Boolean)
                  .join(', ')}
                word="missing"
                holds={false}
              />
            </li>
          ))}
          {behind.map(({ schema, name, as_role, grant }) => (
            <li key={`${schema}.${name} ${grant.privilege}`}>
              <Condition
                expression={`${grant.privilege} on ${schema}.${name}`}
                filled={`by ${as_role}`}
                word="missing"
                holds={false}
              />
            </li>
          ))}
        </ul>
      )}
      {rows.map((row) => (
        <RowTrace key={JSON.stringify(row.row)} row={row} alone={rows.length === 1} />
      ))}
      {more_rows && <p className="soft">The explanation covers only the first rows.</p>}
      <p className={styles.tools}>
        <CopyButton text={() => explanationText(explanation)} what="the explanation as text" word="Copy as text" />
      </p>
    </div>
  );
}

/** Shows the checks of one row. */
function RowTrace({ row: { row, checks }, alone }: { row: ExplainedRow; alone: boolean }) {
  return (
    <>
      {!alone && (
        <p className={styles.which}>
          {Object.entries(row)
            .map(([field, value]) => `${field} ${value ?? 'null'}`)
            .join(', ')}
        </p>
      )}
      {checks.map((check) => (
        <Check key={checkTitle(check)} check={check} />
      ))}
    </>
  );
}

/** Shows one check with its policies. */
function Check({ check }: { check: ExplainedCheck }) {
  return (
    <section>
      <h4 className={styles.asked}>{checkTitle(check)}</h4>
      <ol className={styles.trace}>
        {check.policies.map((policy) => (
          <Policy key={policy.name} policy={policy} />
        ))}
        {check.policies.length === 0 && <li className="soft">No policy applies.</li>}
      </ol>
    </section>
  );
}

/** Shows one evaluated policy. */
function Policy({ policy }: { policy: CheckedPolicy }) {
  const { name, permissive, conditions, joined_by } = policy;
  const holds = policy.result === true;
  const parts: readonly (CheckedCondition | CheckedPolicy)[] = conditions.length > 0 ? conditions : [policy];
  return (
    <li>
      <div className={styles.policy}>
        <span>
          {name}
          {!permissive && <span className="soft">, restrictive</span>}
        </span>
        <span className={holds ? styles.true : styles.false}>{resultWord(policy)}</span>
      </div>
      {parts.map((part, place) => (
        <Condition
          key={part.expression}
          expression={place > 0 && joined_by !== null ? `${joined_by} ${part.expression}` : part.expression}
          filled={part.error ? `${part.error.code}: ${part.error.message}` : part.filled}
          word={resultWord(part)}
          holds={part.result === true}
        />
      ))}
    </li>
  );
}

/** Shows a condition and its values. A false condition has a coloured background. */
function Condition({
  expression,
  filled,
  word,
  holds,
}: {
  expression: string;
  filled: string;
  word: string;
  holds: boolean;
}) {
  return (
    <div className={classNames(styles.condition, !holds && styles.failed)}>
      <Icon of={holds ? IconCheck : IconX} small />
      <span>{expression}</span>
      <span className={styles.result}>{word}</span>
      {filled !== expression && <span className={styles.filled}>{filled}</span>}
    </div>
  );
}
