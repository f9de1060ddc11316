import { Link } from '@tanstack/react-router';
import { entityId } from '../../../../contract/entity-names.ts';
import type { Pair } from '../../../ui/panel.tsx';
import { entityName, listed, shortId } from '../../format/format.ts';
import { attributeWords, countedWords, equalWords, filledBy, keysOf, relationWords } from './entity-words.ts';
import styles from './field-page.module.css';
import type { FieldUsage } from './field-usage.ts';

/** Definition of a field: its meaning, type, default and keys. */
export function FieldFacts({ appRef, story }: { appRef: string; story: FieldUsage }) {
  return (
    <dl className={styles.facts}>
      {factsOf(appRef, story).map(
        (pair) =>
          pair && (
            <div key={pair[0]} className={styles.fact}>
              <dt>{pair[0]}</dt>
              <dd>{pair[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

function factsOf(appRef: string, { entity, field }: FieldUsage): Pair[] {
  const { type, base_type, nullable, generated, enum_values, attributes, collation, references } = field;
  const { comment, type_comments } = field;
  const filled = filledBy(field);
  const equal = equalWords(field);
  return [
    ['Meaning', comment ?? <span className="soft">no comment</span>],
    type_comments !== undefined && ['Comment on the type', type_comments.join('; ')],
    ['Type', <code key="type">{shortId(type)}</code>],
    base_type !== null && ['Base type of the domain', <code key="base">{shortId(base_type)}</code>],
    attributes !== undefined && ['Consists of', <code key="parts">{attributeWords(field)}</code>],
    enum_values !== null && ['Values', enum_values.join(', ')],
    collation !== undefined && [
      'Collation',
      <span key="collation">
        <code>{shortId(collation.name)}</code>
        {equal !== null && <span className="soft">, {equal}</span>}
      </span>,
    ],
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
    references !== null && [
      'Points to',
      <Link
        key="to"
        to="/app/$ref/entities"
        params={{ ref: appRef }}
        search={{ entity: entityId(references.schema, references.entity) }}
      >
        <code>{`${entityName(references.schema, references.entity)}.${references.field}`}</code>
      </Link>,
    ],
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
