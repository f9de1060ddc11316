import { Link, useParams } from '@tanstack/react-router';
import { useCallback, useMemo, useRef, useState } from 'react';
import type { Rule, RulesChapter } from '../../../../contract/specification.ts';
import type { Entity } from '../../../../contract/specification-entities.ts';
import { Empty } from '../../../ui/empty.tsx';
import { figureLink } from '../../../ui/live-value.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { count, counted, shortId } from '../../format/format.ts';
import { FileRuleTable } from '../files/file-tables.tsx';
import { ListChapter, type ListDescriptor } from '../list/list-chapter.tsx';
import type { ListColumn } from '../list/list-table.tsx';
import { useChapter } from '../use-chapter.ts';
import { EntityTypes } from './entity-types.tsx';
import { RulePanel } from './rule-panel.tsx';
import { type Draft, TryRule } from './try-rule.tsx';

const ruleColumns: readonly ListColumn<Rule>[] = [
  { name: 'Rule', look: 'words', share: 50, bar: 200, cell: ({ words }) => words },
  { name: 'Kind', bar: 50, cell: (rule) => <Kind rule={rule} /> },
  {
    name: 'Comment',
    look: 'words',
    share: 30,
    rank: 'third',
    bar: 50,
    cell: ({ comment }) => comment ?? <span className="soft">–</span>,
  },
  {
    name: 'SQL',
    look: 'words',
    share: 50,
    rank: 'second',
    bar: 180,
    cell: ({ sql }) => <code title={sql}>{sql}</code>,
  },
];

function Kind({ rule: { kind, applies_to } }: { rule: Rule }) {
  if (applies_to === 'all rows' || applies_to === 'uploads') return kind;
  return (
    <>
      {kind} <Tag kind="warn">{applies_to === 'no row' ? 'not enforced' : 'not valid'}</Tag>
    </>
  );
}

const changes = [
  <span key="alter">
    Add a rule with <code>alter table … add constraint … check</code>; <a href="#figure-5-2">try it</a> first
  </span>,
  <span key="comment">
    Describe a rule with <code>comment on constraint</code>: clients receive the text as <code>hint</code>
  </span>,
  <span key="validate">
    Check existing rows with <code>validate constraint</code>
  </span>,
];

/** Chapter 5: the rules in words and in SQL, and a form that tests a new rule. */
export function RulesPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/rules' });
  const { chapter } = useChapter(ref, 'rules');
  const { chapter: entities } = useChapter(ref, 'entities');
  const [draft, setDraft] = useState<Draft | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const take = useCallback((entity: string, expression: string) => {
    setDraft({ entity, expression });
    field.current?.focus();
  }, []);
  const tables = useMemo(() => entities?.entities.filter(isTable) ?? [], [entities]);
  const exposed = useMemo(() => entities?.entities.filter(takesRows) ?? [], [entities]);

  return (
    <ListChapter
      appRef={ref}
      of={descriptor}
      caption="All rules, with description and SQL"
      columns={ruleColumns}
      none={
        <Empty title="No rules yet">
          <p>
            Add a required field, a key or a check to a{' '}
            <Link to="/app/$ref/entities" params={{ ref }}>
              {' '}
              table{' '}
            </Link>{' '}
            to see it here.
          </p>
        </Empty>
      }
      panel={(rule, steps) => <RulePanel appRef={ref} rule={rule} onTry={take} {...steps} />}
    >
      {(selected) => (
        <>
          {tables.length > 0 && (
            <TryRule
              appRef={ref}
              tables={tables}
              suggested={selected?.entity}
              draft={draft}
              onDraft={setDraft}
              field={field}
            />
          )}
          {exposed.length > 0 && <EntityTypes appRef={ref} entities={exposed} suggested={selected?.entity} />}
          <FileRuleTable number="Table 5.4" rules={chapter?.files} />
        </>
      )}
    </ListChapter>
  );
}

const textOf = ({ entity, name, kind, words, sql }: Rule): string => [entity, name, kind, words, sql].join('\n');

/** Returns true if callers can write rows of the entity. */
const takesRows = ({ exposed, writable }: Entity): boolean => exposed && (writable.insert || writable.update);

/** Returns true for tables. Views have no rules of their own. */
const isTable = ({ kind }: Entity): boolean =>
  kind === 'table' || kind === 'partitioned table' || kind === 'foreign table';

/**
 * Answers the question of the chapter: "31 rules apply to the rows of 3 entities; 3 have a comment. 1 rule
 * is not checked for rows from before it."
 */
function Answer({ chapter: { rules } }: { chapter: RulesChapter }) {
  if (rules.length === 0) return <>No rules yet: every row is valid. Add a constraint to see it here.</>;
  const entities = new Set(rules.map(({ entity }) => entity)).size;
  const commented = rules.filter((rule) => rule.comment !== null).length;
  const loose = rules.filter(({ applies_to }) => applies_to !== 'all rows' && applies_to !== 'uploads').length;
  const proof = figureLink('table-5-1');
  return (
    <>
      {proof(counted(rules.length, 'rule'))} {rules.length === 1 ? 'applies' : 'apply'} to the rows of{' '}
      {proof(counted(entities, 'entity', 'entities'))}; {proof(count(commented))} {commented === 1 ? 'has' : 'have'} a
      comment.
      {loose > 0 && (
        <>
          {' '}
          {proof(counted(loose, 'rule'), true)} {loose === 1 ? 'is' : 'are'} not validated for existing rows.
        </>
      )}
    </>
  );
}

const descriptor: ListDescriptor<'rules', Rule> = {
  chapter: 'rules',
  parameter: 'rule',
  number: 'Table 5.1',
  what: ['rule', 'rules'],
  items: ({ rules }) => rules,
  textOf,
  groupOf: ({ entity }) => shortId(entity),
  Answer,
  changes,
};
