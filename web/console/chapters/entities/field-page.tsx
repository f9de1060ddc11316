import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, useMemo } from 'react';
import type { Source } from '../../../../contract/specification-source.ts';
import { Empty } from '../../../ui/empty.tsx';
import { Figure } from '../../../ui/figure.tsx';
import { FlashOnChange, liveValueClass } from '../../../ui/live-value.tsx';
import { AsOf, PageHeader } from '../../../ui/page-header.tsx';
import { Skeleton } from '../../../ui/table.tsx';
import { counted, shortId } from '../../format/format.ts';
import { Page } from '../../layout/page.tsx';
import { QueryFailure } from '../../layout/query-failure.tsx';
import { SpecificationVersion } from '../../layout/specification-version.tsx';
import { figuresAt, specification } from '../../queries/specification.ts';
import { literal } from '../../queries/sql.ts';
import { Feet } from '../chapter-page.tsx';
import { FieldFacts, FieldRelations } from './field-facts.tsx';
import { type FieldUsage, fieldSentence, fieldUsage } from './field-usage.ts';
import { FieldAccess, FieldUses } from './field-uses.tsx';

/** Page of a field: its type, its relations, and every rule, grant, policy, machine and screen that uses it. */
export function FieldPage({ appRef, entity, field }: { appRef: string; entity: string; field: string }) {
  const query = useQuery(specification(appRef));
  const story = useMemo(
    () => (query.data ? fieldUsage(query.data.chapters, entity, field) : undefined),
    [query.data, entity, field],
  );
  const params = { ref: appRef };
  const name = `${shortId(entity)}.${field}`;
  return (
    <Page
      appRef={appRef}
      crumbs={[
        { text: '3 Entities', link: { to: '/app/$ref/entities', params } },
        { text: shortId(entity), link: { to: '/app/$ref/entities', params, search: { entity } } },
        { text: field },
      ]}
      question={name}
      tools={<SpecificationVersion appRef={appRef} />}
      fetching={query.isLoading}
    >
      <PageHeader numeral={3} name={`Entities, a field of ${shortId(entity)}`} question={name}>
        {story && (
          <>
            <Answer story={story} /> <AsOf at={figuresAt(query)} live={!query.isError} />
          </>
        )}
      </PageHeader>
      <QueryFailure query={query} />
      {story === null && (
        <Empty title={`There is no field ${name}`}>
          <p>The field may have been renamed or dropped after the link was created.</p>
          <Link to="/app/$ref/entities" params={params}>
            All entities
          </Link>
        </Empty>
      )}
      {query.isPending && !query.error && <Skeleton width={320} />}
      {story && <Story appRef={appRef} story={story} stale={query.isError} />}
    </Page>
  );
}

/**
 * Answers the question of the page: "Type text, required: title is 3 to 120 characters. 2 rules, 3 policies and 4
 * screens use it."
 */
function Answer({ story }: { story: FieldUsage }) {
  const uses = [
    [story.rules.length, 'rule', 'rules'],
    [story.policies.length, 'policy', 'policies'],
    [story.screens.length, 'screen', 'screens'],
    [story.machines.length, 'machine', 'machines'],
  ] as const;
  const known = uses.filter(([many]) => many > 0);
  return (
    <>
      {fieldSentence(story)}{' '}
      {known.length === 0 ? (
        'No rule, policy, screen or machine uses it.'
      ) : (
        <>
          {known.map(([many, one, several], place) => (
            <Fragment key={one}>
              {place > 0 && (place === known.length - 1 ? ' and ' : ', ')}
              <a className={liveValueClass} href="#table-3-4">
                <FlashOnChange value={many}>{counted(many, one, several)}</FlashOnChange>
              </a>
            </Fragment>
          ))}{' '}
          {known.length === 1 && known[0]?.[0] === 1 ? 'uses' : 'use'} it.
        </>
      )}
    </>
  );
}

function Story({ appRef, story, stale }: { appRef: string; story: FieldUsage; stale: boolean }) {
  const { entity, field } = story;
  const name = `${entity.id}.${field.name}`;
  return (
    <>
      <Figure number="Table 3.1" caption="Definition">
        <FieldFacts appRef={appRef} story={story} />
      </Figure>
      <Figure number="Table 3.2" caption="Access by role, for the rows that chapter 6 allows">
        <FieldAccess appRef={appRef} story={story} stale={stale} />
      </Figure>
      <Figure number="Table 3.3" caption="Relations">
        <FieldRelations appRef={appRef} story={story} />
      </Figure>
      <Figure number="Table 3.4" caption="Uses">
        <FieldUses appRef={appRef} story={story} stale={stale} />
      </Figure>
      <Feet
        appRef={appRef}
        sources={sourcesOf(story)}
        changes={[
          <span key="comment">
            Describe the field:{' '}
            <code>
              comment on column {name} is {literal('…')}
            </code>
          </span>,
          <span key="type">
            Change its type, default or nullability with <code>alter table {entity.id} alter column …</code>
          </span>,
          <span key="rename">
            Rename it with <code>alter table {entity.id} rename column …</code>: rules, policies and machines follow,
            clients do not
          </span>,
        ]}
      />
    </>
  );
}

const sourcesOf = ({ entity, field }: FieldUsage): Source[] => [
  {
    kind: 'catalog',
    label: 'pg_attribute: type, default, identity and comment',
    sql: `select a.attname, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull, a.attidentity, a.attgenerated,
  pg_get_expr(d.adbin, d.adrelid) as default, col_description(a.attrelid, a.attnum) as comment
from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
where a.attrelid = ${literal(entity.id)}::regclass and a.attname = ${literal(field.name)}`,
  },
  { kind: 'catalog', label: 'Chapters 2, 4, 5 and 6 of the same specification: entries that use the field' },
];
