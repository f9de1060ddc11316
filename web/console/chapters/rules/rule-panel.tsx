import { IconFlask } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Rule } from '../../../../contract/specification.ts';
import { Button } from '../../../ui/button.tsx';
import { Code } from '../../../ui/code.tsx';
import { KeyValues, Panel, PanelSection, type PanelSteps, VerdictLine } from '../../../ui/panel.tsx';
import { shortId } from '../../format/format.ts';
import { SqlLink } from '../../layout/sql-link.tsx';
import { boundRows, checkExpression, commentSql, validateSql } from './rule-words.ts';
import styles from './rules.module.css';

/**
 * Panel of a rule: its description, its SQL, the rows that it applies to, the error for a client, and how to change it.
 */
export function RulePanel({
  appRef,
  rule,
  onTry,
  ...steps
}: {
  appRef: string;
  rule: Rule;
  /** Opens an expression in the form that tests rules. */
  onTry: (entity: string, expression: string) => void;
} & PanelSteps) {
  const expression = checkExpression(rule);
  const params = { ref: appRef };
  const validate = validateSql(rule);
  const comment = commentSql(rule);
  const entity = (
    <Link to="/app/$ref/entities" params={params} search={{ entity: rule.entity }}>
      <code>{shortId(rule.entity)}</code>
    </Link>
  );
  return (
    <Panel
      label={`${rule.name} of ${shortId(rule.entity)}`}
      title={
        <>
          <code>{rule.name}</code> <span className="soft">{rule.kind}</span>
        </>
      }
      {...steps}
    >
      <VerdictLine>{rule.words}</VerdictLine>
      <PanelSection title="Rule">
        <KeyValues
          pairs={[
            ['Applies to', boundRows[rule.applies_to]],
            ['Entity', entity],
            rule.fields.length > 0 && ['Fields', <code key="fields">{rule.fields.join(', ')}</code>],
            rule.comment !== null && ['Comment', rule.comment],
          ]}
        />
      </PanelSection>
      <PanelSection title="SQL">
        <Code code={rule.sql} language="sql" label="the SQL of the rule" wrap />
      </PanelSection>
      {rule.kind !== 'files' && (
        <PanelSection title="Violation">
          <KeyValues
            pairs={[
              [
                'Code',
                <Link key="code" to="/app/$ref/errors" params={params} search={{ error: `rule.${rule.id}` }}>
                  <code>{rule.sqlstate}</code>
                </Link>,
              ],
              ['Hint', rule.comment ?? 'none: the rule has no comment'],
            ]}
          />
        </PanelSection>
      )}
      <p className={styles.ways}>
        {expression !== null && (
          <Button small icon={IconFlask} onClick={() => onTry(rule.entity, expression)}>
            Try another form
          </Button>
        )}
        {validate !== null && <SqlLink appRef={appRef} sql={validate} words="Check old rows in SQL" />}
        {comment !== null && <SqlLink appRef={appRef} sql={comment} words="Change description in SQL" />}
      </p>
    </Panel>
  );
}
