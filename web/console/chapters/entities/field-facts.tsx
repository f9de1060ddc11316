import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { entityId } from '../../../../contract/entity-names.ts';
import { entityName, listed, shortId } from '../../format/format.ts';
import { attributeWords, countedWords, equalWords, filledBy, keysOf, relationWords } from './entity-words.ts';
import styles from './field-page.module.css';
import type { FieldUsage } from './field-usage.ts';

/** Definition of a field: its meaning, type, default and keys. */
export function FieldFacts({ appRef, story }: { appRef: string; story: FieldUsage }) {
  return (
    <dl className={styles.facts}>
      {factsOf(appRef, story).map(([what, value]) => (
        <div key={what} className={styles.fact}>
          <dt>{what}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
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
export function FieldRelations({ appRef, story: { pointsTo, pointedBy } }: { appRef: string; story: FieldUsage }) {
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
