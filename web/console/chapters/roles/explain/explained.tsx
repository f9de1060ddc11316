import { IconCheck, IconX } from '@tabler/icons-react';
import type { AccessExplanation, ExplainedRow } from '../../../../../contract/access.ts';
import { classNames } from '../../../../ui/class-names.ts';
import { CopyButton } from '../../../../ui/copy-button.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import styles from './explain.module.css';
import {
  explanationText,
  isOpen,
  type Names,
  outcomeWord,
  replyWords,
  type ShownCondition,
  shownChecks,
} from './explained-words.ts';
import { useNames } from './use-names.ts';

/** Shows an explanation: the outcome and its reason, then every evaluated policy in order, with the values inserted. */
export function Explained({ appRef, explanation }: { appRef: string; explanation: AccessExplanation }) {
  const names = useNames(appRef, explanation);
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
                words={`${privilege} on ${on}`}
                values={[needed, missing_columns.length > 0 && `not on ${missing_columns.join(', ')}`]
                  .filter(Boolean)
                  .join(', ')}
                result="missing"
                holds={false}
              />
            </li>
          ))}
          {behind.map(({ schema, name, as_role, grant }) => (
            <li key={`${schema}.${name} ${grant.privilege}`}>
              <Condition
                words={`${grant.privilege} on ${schema}.${name}`}
                values={`by ${as_role}`}
                result="missing"
                holds={false}
              />
            </li>
          ))}
        </ul>
      )}
      {rows.map((row) => (
        <RowTrace key={JSON.stringify(row.row)} row={row} names={names} />
      ))}
      {more_rows && <p className="soft">The explanation covers only the first rows.</p>}
      <p className={styles.tools}>
        <CopyButton
          text={() => explanationText(explanation, names)}
          what="the explanation as text"
          word="Copy as text"
        />
      </p>
    </div>
  );
}

/** Shows the checks of one row. Each condition appears once. */
function RowTrace({ row: { row, checks }, names }: { row: ExplainedRow; names: Names }) {
  return (
    <>
      <p className={styles.which}>{names.rowOf(row)}</p>
      {shownChecks(checks, names).map(({ title, policies }) => (
        <section key={title}>
          <h4 className={styles.asked}>{title}</h4>
          <ol className={styles.trace}>
            {policies.map((policy) => (
              <li key={policy.name}>
                <div className={styles.policy}>
                  <span>
                    {policy.name}
                    {!policy.permissive && <span className="soft">, restrictive</span>}
                  </span>
                  <span className={policy.holds ? styles.true : styles.false}>{policy.result}</span>
                </div>
                {policy.conditions.length === 0 && <p className="soft">The same conditions as above.</p>}
                {policy.conditions.map((condition) => (
                  <Condition key={`${condition.words} ${condition.values}`} {...condition} decided={policy.holds} />
                ))}
              </li>
            ))}
            {policies.length === 0 && <li className="soft">No policy applies.</li>}
          </ol>
        </section>
      ))}
    </>
  );
}

/**
 * Shows a condition and its values. A condition that is not met has a coloured background, unless another condition
 * decided in favour of the caller.
 */
const Condition = ({ words, values, result, holds, decided = false }: ShownCondition & { decided?: boolean }) => (
  <div className={classNames(styles.condition, !holds && !decided && styles.failed)}>
    <Icon of={holds ? IconCheck : IconX} small />
    <span>{words}</span>
    <span className={styles.result}>{result}</span>
    {values !== '' && <span className={styles.filled}>{values}</span>}
  </div>
);
