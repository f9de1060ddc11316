import { Link, useParams } from '@tanstack/react-router';
import { useCallback, useMemo, useRef, useState } from 'react';
import type { Rule, RulesChapter } from '../../../../contract/specification.ts';
import type { Entity } from '../../../../contract/specification-entities.ts';
import { Empty } from '../../../ui/empty.tsx';
import { FlashOnChange, figureLink, liveValueClass } from '../../../ui/live-value.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { count, counted, shortId } from '../../format/format.ts';
import { FileRuleTable } from '../files/file-tables.tsx';
import type { Folding } from '../list/folded-groups.tsx';
import { ListChapter, type ListDescriptor } from '../list/list-chapter.tsx';
import type { ListColumn } from '../list/list-table.tsx';
import { useChapter } from '../use-chapter.ts';
import { EntityTypes } from './entity-types.tsx';
import { RulePanel } from './rule-panel.tsx';
import { brokenRules, rankOfRule } from './rule-words.ts';
import { type Draft, TryRule } from './try-rule.tsx';

/** Returns the columns of the table of rules. `broken` has the number of violations in 24 hours, by the id of the rule. */
const ruleColumns = (broken: ReadonlyMap<string, number>): readonly ListColumn<Rule>[] => [
  { name: 'Rule', look: 'words', share: 50, bar: 200, cell: ({ words }) => words },
  { name: 'Kind', bar: 50, cell: (rule) => <Kind rule={rule} /> },
  {
    name: 'Broken in 24 h',
    look: 'figure',
    bar: 50,
    cell: ({ id }) => {
      const times = broken.get(id) ?? 0;
      return times > 0 && <FlashOnChange value={times}>{counted(times, 'time')}</FlashOnChange>;
    },
  },
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
    share: 20,
    rank: 'third',
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
  const { chapter: errors } = useChapter(ref, 'errors');
  const broken = useMemo(() => brokenRules(errors?.errors ?? []), [errors]);
  const columns = useMemo(() => ruleColumns(broken), [broken]);
  const folding = useMemo(() => foldingOf(broken), [broken]);
  const tables = useMemo(() => entities?.entities.filter(isTable) ?? [], [entities]);
  const exposed = useMemo(() => entities?.entities.filter(takesRows) ?? [], [entities]);

  return (
    <ListChapter
      appRef={ref}
      of={descriptor}
      caption="Rules of the app"
      columns={columns}
      folding={folding}
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

/** Puts the fields that must have a value into closed groups, unless a row without the value was refused. */
const foldingOf = (broken: ReadonlyMap<string, number>): Folding<Rule> => ({
  isFolded: ({ kind, id, comment }) => kind === 'required' && comment === null && !broken.has(id),
  title: 'Fields that must have a value',
  sentence: (rules) => `${counted(rules.length, 'field')}. A field that a request leaves out moves to the top.`,
  groupOf: ({ entity }) => shortId(entity),
});

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
function Answer({ appRef, chapter: { rules } }: { appRef: string; chapter: RulesChapter }) {
  const { chapter: errors } = useChapter(appRef, 'errors');
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
      <Broken appRef={appRef} rules={rules} broken={brokenRules(errors?.errors ?? [])} />
      {loose > 0 && (
        <>
          {' '}
          {proof(counted(loose, 'rule'), true)} {loose === 1 ? 'is' : 'are'} not validated for existing rows.
        </>
      )}
    </>
  );
}

/** Says how often rules were broken, and which one the most: "Broken 4 times in 24 hours, mostly “A subject is …”." */
function Broken({
  appRef,
  rules,
  broken,
}: {
  appRef: string;
  rules: readonly Rule[];
  broken: ReadonlyMap<string, number>;
}) {
  const often = [...broken.values()].reduce((sum, times) => sum + times, 0);
  const [most] = [...broken].toSorted(([, a], [, b]) => b - a);
  const rule = rules.find(({ id }) => id === most?.[0]);
  if (often === 0 || !rule) return ' None was broken in 24 hours.';
  return (
    <>
      {' '}
      Broken {figureLink('table-5-1')(counted(often, 'time'))} in 24 hours, {broken.size > 1 ? 'mostly' : 'always'}{' '}
      <Link to="/app/$ref/rules" params={{ ref: appRef }} search={{ rule: rule.id }} className={liveValueClass}>
        {rule.words}
      </Link>
      .
    </>
  );
}

const descriptor: ListDescriptor<'rules', Rule> = {
  chapter: 'rules',
  parameter: 'rule',
  number: 'Table 5.1',
  what: ['rule', 'rules'],
  items: ({ rules }) => rules.toSorted((a, b) => rankOfRule(a) - rankOfRule(b)),
  textOf,
  groupOf: ({ entity }) => shortId(entity),
  Answer,
  changes,
};
