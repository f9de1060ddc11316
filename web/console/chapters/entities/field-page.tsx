import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode, useMemo } from 'react';
import { entityId } from '../../../../contract/entity-names.ts';
import { isMachineTrigger } from '../../../../contract/machine-trigger.ts';
import type { Source } from '../../../../contract/specification-source.ts';
import { Empty } from '../../../ui/empty.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { Figure } from '../../../ui/figure.tsx';
import { FlashOnChange, liveValueClass } from '../../../ui/live-value.tsx';
import { AsOf, PageHeader } from '../../../ui/page-header.tsx';
import { Skeleton, Table } from '../../../ui/table.tsx';
import { Verdict } from '../../../ui/verdict.tsx';
import { failureFacts } from '../../data/api-failure.ts';
import { figuresAt, specification } from '../../data/specification.ts';
import { literal } from '../../data/sql.ts';
import { counted, entityName, listed, shortId } from '../../format/format.ts';
import { Page } from '../../layout/page.tsx';
import { SpecificationVersion } from '../../layout/specification-version.tsx';
import { Feet } from '../chapter-page.tsx';
import { attributeWords, countedWords, equalWords, filledBy, keysOf, relationWords } from './entity-words.ts';
import styles from './field-page.module.css';
import { type FieldUsage, fieldSentence, fieldUsage, names } from './field-usage.ts';

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
      {query.error && (
        <Failure facts={failureFacts(query.error)} onRetry={() => void query.refetch()} busy={query.isFetching} />
      )}
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
        <dl className={styles.facts}>
          {factsOf(appRef, story).map(([what, value]) => (
            <div key={what} className={styles.fact}>
              <dt>{what}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </Figure>
      <Figure number="Table 3.2" caption="Access by role, for the rows that chapter 6 allows">
        <div className={styles.access}>
          <Table label="Access by role" stale={stale}>
            <thead>
              <tr>
                <th scope="col">Role</th>
                <th scope="col">Read</th>
                <th scope="col">Insert</th>
                <th scope="col">Update</th>
              </tr>
            </thead>
            <tbody>
              {story.access.map(({ role, read, insert, update }) => (
                <tr key={role.name}>
                  <td>
                    <code>{role.name}</code>
                  </td>
                  {[['select', read] as const, ['insert', insert] as const, ['update', update] as const].map(
                    ([operation, verdict]) => (
                      <td key={operation}>
                        <Link
                          to="/app/$ref/roles"
                          params={{ ref: appRef }}
                          search={{ cell: `${entity.id} ${operation} ${role.name}` }}
                          className={styles.verdict ?? ''}
                          aria-label={`${operation} by ${role.name}: ${verdict}`}
                        >
                          <Verdict of={verdict} />
                        </Link>
                      </td>
                    ),
                  )}
                </tr>
              ))}
            </tbody>
          </Table>
        </div>
      </Figure>
      <Figure number="Table 3.3" caption="Relations">
        <Joined appRef={appRef} story={story} />
      </Figure>
      <Figure number="Table 3.4" caption="Uses">
        <Uses appRef={appRef} story={story} stale={stale} />
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

function factsOf(appRef: string, { entity, field }: FieldUsage): (readonly [string, ReactNode])[] {
  const { type, base_type, nullable, generated, enum_values, attributes, collation, references } = field;
  const { comment, type_comments } = field;
  const filled = filledBy(field);
  const equal = equalWords(field);
  return [
    ['Meaning', comment ?? <span className="soft">no comment</span>],
    ...(type_comments === undefined ? [] : [['Comment on the type', type_comments.join('; ')] as const]),
    ['Type', <code key="type">{shortId(type)}</code>],
    ...(base_type === null ? [] : [['Base type of the domain', <code key="base">{shortId(base_type)}</code>] as const]),
    ...(attributes === undefined ? [] : [['Consists of', <code key="parts">{attributeWords(field)}</code>] as const]),
    ...(enum_values === null ? [] : [['Values', enum_values.join(', ')] as const]),
    ...(collation === undefined
      ? []
      : [
          [
            'Collation',
            <span key="collation">
              <code>{shortId(collation.name)}</code>
              {equal !== null && <span className="soft">, {equal}</span>}
            </span>,
          ] as const,
        ]),
    ['May be null', nullable ? 'yes' : 'no'],
    [
      'Default',
      filled === null ? (
        'none: the writer sets the value'
      ) : (
        <>
          <code>{filled}</code>
          {generated !== null && <span className="soft">, {generated}</span>}
        </>
      ),
    ],
    ['Identity', countedWords(field)],
    ['Key', listed(keysOf(entity, field)) || 'none'],
    ...(references === null
      ? []
      : [
          [
            'Points to',
            <Link
              key="to"
              to="/app/$ref/entities"
              params={{ ref: appRef }}
              search={{ entity: entityId(references.schema, references.entity) }}
            >
              <code>{`${entityName(references.schema, references.entity)}.${references.field}`}</code>
            </Link>,
          ] as const,
        ]),
  ];
}

/** Lists the relations of the field in both directions. */
function Joined({ appRef, story: { pointsTo, pointedBy } }: { appRef: string; story: FieldUsage }) {
  if (pointsTo.length + pointedBy.length === 0) return <p className={styles.none}>No relations.</p>;
  const other = (schema: string, entity: string, fields: readonly string[]) => (
    <Link to="/app/$ref/entities" params={{ ref: appRef }} search={{ entity: entityId(schema, entity) }}>
      <code>{`${entityName(schema, entity)}.${fields.join(', ')}`}</code>
    </Link>
  );
  return (
    <ul className={styles.joined}>
      {pointsTo.map((relation) => (
        <li key={relation.name}>
          <span>points to</span>
          {other(relation.to.schema, relation.to.entity, relation.to.fields)}
          <span className="soft">{relationWords(relation, 'there')}</span>
        </li>
      ))}
      {pointedBy.map((relation) => (
        <li key={`${relation.from.schema}.${relation.from.entity} ${relation.name}`}>
          <span>pointed to by</span>
          {other(relation.from.schema, relation.from.entity, relation.from.fields)}
          <span className="soft">{relationWords(relation, 'here')}</span>
        </li>
      ))}
    </ul>
  );
}

/** A use of the field: its kind, a link and a description. */
interface Use {
  id: string;
  what: string;
  link: ReactNode;
  words: string;
}

/** Lists the rules, policies, machines and screens that use the field. */
function Uses({ appRef, story, stale }: { appRef: string; story: FieldUsage; stale: boolean }) {
  const uses = usesOf(appRef, story);
  if (uses.length === 0) {
    return <p className={styles.none}>No rule, policy, screen or machine uses the field.</p>;
  }
  return (
    <Table label="Uses" stale={stale}>
      <thead>
        <tr>
          <th scope="col">Kind</th>
          <th scope="col">Name</th>
          <th scope="col" className={styles.words}>
            How
          </th>
        </tr>
      </thead>
      <tbody>
        {uses.map(({ id, what, link, words }) => (
          <tr key={id}>
            <td className="soft">{what}</td>
            <td className={styles.which}>{link}</td>
            <td className={styles.words} title={words}>
              {words}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function usesOf(appRef: string, { entity, rules, policies, screens, machines, field }: FieldUsage): Use[] {
  const params = { ref: appRef };
  return [
    ...rules.map(
      ({ id, name, words }): Use => ({
        id: `rule ${id}`,
        what: 'rule',
        link: (
          <Link to="/app/$ref/rules" params={params} search={{ rule: id }}>
            {name}
          </Link>
        ),
        words,
      }),
    ),
    ...policies.map(
      ({ name, command, roles, words, sql }): Use => ({
        id: `policy ${name}`,
        what: 'policy',
        link: (
          <Link to="/app/$ref/sql" params={params} search={{ sql }}>
            {name}
          </Link>
        ),
        words: `${command} for ${listed(roles)}: ${words}`,
      }),
    ),
    ...machines.map(
      ({ machine, moves, transitions }): Use => ({
        id: `machine ${machine.id}`,
        what: 'machine',
        link: (
          <Link to="/app/$ref/states" params={params} search={{ machine: machine.id }}>
            {shortId(machine.id)}
          </Link>
        ),
        words: moves
          ? `moves it through ${counted(machine.states.length, 'state')}`
          : `${listed(transitions)} ${transitions.length === 1 ? 'checks, requires or sets it' : 'check, require or set it'}`,
      }),
    ),
    ...screens.map(
      ({ route, title, kind, columns }): Use => ({
        id: `screen ${route}`,
        what: 'screen',
        link: (
          <Link to="/app/$ref/screens" params={params} search={{ screen: route }}>
            <code>{route}</code>
          </Link>
        ),
        words: `${title} (${kind})${columns.includes(field.name) ? '' : ', by its filter or order'}`,
      }),
    ),
    ...entity.triggers
      .filter((trigger) => !isMachineTrigger(trigger) && names(trigger.sql, field.name))
      .map(
        ({ name, sql, comment }): Use => ({
          id: `trigger ${name}`,
          what: 'trigger',
          link: (
            <Link to="/app/$ref/entities" params={params} search={{ entity: entity.id }}>
              {name}
            </Link>
          ),
          words: comment ?? sql,
        }),
      ),
  ];
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
