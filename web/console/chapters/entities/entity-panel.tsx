import { IconArrowRight, IconTable } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { entityId } from '../../../../contract/entity-names.ts';
import { isMachineTrigger } from '../../../../contract/machine-trigger.ts';
import type { Entity, Junction, Relation, ViewForeignKey } from '../../../../contract/specification-entities.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { Code } from '../../../ui/code.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { KeyValues, Panel, PanelSection, VerdictLine } from '../../../ui/panel.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { bytes, count, counted, entityName, shortId } from '../../format/format.ts';
import styles from './entity-panel.module.css';
import {
  arrivingWords,
  attributeWords,
  checkWords,
  equalWords,
  fieldMarks,
  filledBy,
  leavingWords,
  overlapWords,
  relationsOf,
  triggerRemark,
} from './entity-words.ts';

/** Panel of an entity: its fields, its relations in both directions, its triggers. */
export function EntityPanel({
  appRef,
  entity,
  relations,
  junctions,
  shownKeys,
  onClose,
  onPrevious,
  onNext,
}: {
  appRef: string;
  entity: Entity;
  relations: readonly Relation[];
  junctions: readonly Junction[];
  shownKeys: readonly ViewForeignKey[];
  onClose: () => void;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
}) {
  const name = entityName(entity.schema, entity.name);
  const own = entity.triggers.filter((trigger) => !isMachineTrigger(trigger));
  const { period_keys: periodKeys = [] } = entity;
  return (
    <Panel
      label={name}
      title={
        <>
          <code>{name}</code> <span className="soft">{entity.kind}</span>
        </>
      }
      onClose={onClose}
      onPrevious={onPrevious}
      onNext={onNext}
    >
      {entity.comment && <VerdictLine>{entity.comment}</VerdictLine>}
      <PanelSection title="Fields" aside={count(entity.fields.length)}>
        <ul className={styles.fields}>
          {entity.fields.map((field) => (
            <li key={field.name}>
              <Link
                to="/app/$ref/entities"
                params={{ ref: appRef }}
                search={{ entity: entity.id, field: field.name }}
                className={styles.field ?? ''}
              >
                <code>{field.name}</code>
              </Link>
              <code className={styles.type}>{shortId(field.type)}</code>
              <span className={styles.marks}>
                {fieldMarks(entity, field).map((mark) => (
                  <Tag key={mark}>{mark}</Tag>
                ))}
              </span>
              <FieldWords field={field} />
            </li>
          ))}
        </ul>
      </PanelSection>
      <Relations {...{ appRef, entity, relations, junctions, shownKeys }} />
      {entity.unique_keys.length + periodKeys.length > 0 && (
        <PanelSection title="Unique">
          <ul>
            {entity.unique_keys.map((key) => (
              <li key={key.join()}>
                <code>{key.join(', ')}</code>
              </li>
            ))}
            {periodKeys.map(({ fields, period }) => (
              <li key={`${fields.join()} over ${period}`}>
                <code>{fields.join(', ')}</code> <span className="soft">{overlapWords(period)}</span>
              </li>
            ))}
          </ul>
        </PanelSection>
      )}
      {own.length < entity.triggers.length && (
        <PanelSection title="States">
          <p>
            A machine moves its rows:{' '}
            <Link to="/app/$ref/states" params={{ ref: appRef }}>
              {name} in chapter 4
            </Link>
          </p>
        </PanelSection>
      )}
      {entity.computed && (
        <PanelSection title="Computed fields" aside={`${entity.computed.length}`}>
          <ul className={styles.fields} aria-label="Computed fields">
            {entity.computed.map(({ name: field, as, type, function: by }) => (
              <li key={by}>
                <code>{field}</code>
                <code className={styles.type}>{shortId(type)}</code>
                {as === 'relationship' && <Tag>related rows</Tag>}
              </li>
            ))}
          </ul>
        </PanelSection>
      )}
      {own.map((trigger) => (
        <PanelSection key={trigger.name} title={`Trigger ${trigger.name}`} aside={triggerRemark(trigger)}>
          {trigger.comment !== undefined && <p className={styles.words}>{trigger.comment}</p>}
          <Code code={trigger.sql} language="sql" label={`the trigger ${trigger.name}`} />
        </PanelSection>
      ))}
      {(entity.rewrite_rules ?? []).map(({ name: rule, enabled, sql }) => (
        <PanelSection key={rule} title={`Rewrite rule ${rule}`} aside={enabled ? null : 'switched off'}>
          <Code code={sql} language="sql" label={`the rewrite rule ${rule}`} />
        </PanelSection>
      ))}
      {entity.definition !== null && (
        <PanelSection title="Query">
          <Code code={entity.definition} language="sql" label={`the query of ${name}`} />
          <QueryWords entity={entity} />
        </PanelSection>
      )}
      <PanelSection title="Storage">
        <KeyValues pairs={storage(entity)} />
      </PanelSection>
      <p className={styles.foot}>
        <Link
          to="/app/$ref/data"
          params={{ ref: appRef }}
          search={{ table: entity.id }}
          className={buttonClass({ small: true })}
        >
          <Icon of={IconTable} small />
          Open rows
        </Link>
      </p>
    </Panel>
  );
}

/** The relations of an entity in both directions. */
function Relations({
  appRef,
  entity,
  relations,
  junctions,
  shownKeys,
}: {
  appRef: string;
  entity: Entity;
  relations: readonly Relation[];
  junctions: readonly Junction[];
  shownKeys: readonly ViewForeignKey[];
}) {
  const { out, in: arriving } = relationsOf(entity, relations);
  const embedded = shownKeys.filter(({ view }) => view === entity.id);
  const joined = junctions.filter(({ from, to }) => from === entity.id || to === entity.id);
  return (
    <>
      {out.length > 0 && (
        <PanelSection title="Points to">
          <KeyValues
            pairs={out.map((relation) => [
              relation.from.fields.join(', '),
              <span key={relation.name}>
                <EntityLink appRef={appRef} schema={relation.to.schema} name={relation.to.entity} />
                <span className="soft">
                  {leavingWords(relation)
                    .map((words) => `, ${words}`)
                    .join('')}
                </span>
              </span>,
            ])}
          />
        </PanelSection>
      )}
      {arriving.length > 0 && (
        <PanelSection title="Points here" aside={counted(arriving.length, 'relation')}>
          <KeyValues
            pairs={arriving.map((relation) => {
              const words = arrivingWords(relation);
              return [
                entityName(relation.from.schema, relation.from.entity),
                <span key={relation.name}>
                  <code>{relation.from.fields.join(', ')}</code>
                  {words !== null && <span className="soft">, {words}</span>}
                </span>,
              ];
            })}
          />
        </PanelSection>
      )}
      {embedded.length > 0 && (
        <PanelSection title="Embedded in its rows" aside="by keys of the base tables">
          <KeyValues
            pairs={embedded.map((key) => {
              const other = key.side === 'from' ? key.to : key.from;
              return [
                key.fields.map((names) => names.join(' or ')).join(', '),
                <span key={`${key.side} ${entityId(key.from.schema, key.from.entity)} ${key.name}`}>
                  <span className="soft">{key.side === 'from' ? 'the row of ' : 'rows of '}</span>
                  <EntityLink appRef={appRef} schema={other.schema} name={other.entity} />
                  <span className="soft"> or of a view of it, by {key.name}</span>
                </span>,
              ];
            })}
          />
        </PanelSection>
      )}
      {joined.length > 0 && (
        <PanelSection title="Joined to" aside="many to many">
          <KeyValues
            pairs={joined.map(({ name, from, to, through }) => {
              const other = from === entity.id ? to : from;
              return [
                shortId(other),
                <span key={`${through} ${name}`}>
                  <span className="soft">through </span>
                  <Link to="/app/$ref/entities" params={{ ref: appRef }} search={{ entity: through }}>
                    <code>{shortId(through)}</code>
                  </Link>
                </span>,
              ];
            })}
          />
        </PanelSection>
      )}
    </>
  );
}

/** Describes which written rows a view accepts, and whether its condition is evaluated before those of the caller. */
function QueryWords({ entity }: { entity: Entity }) {
  const taken = checkWords(entity);
  const pairs: [string, string][] = [
    ...(taken === null ? [] : [['Accepts', taken] as [string, string]]),
    ...(entity.security_barrier
      ? [['Checks', 'its own condition before the conditions of the caller'] as [string, string]]
      : []),
  ];
  return pairs.length > 0 && <KeyValues pairs={pairs} />;
}

/** Describes the properties of a field. */
function FieldWords({ field }: { field: Entity['fields'][number] }) {
  const filled = filledBy(field);
  const { references, enum_values, attributes, collation, numbering, comment, type_comments = [] } = field;
  const told = [filled, references, enum_values, attributes, collation, numbering, comment];
  if (told.every((one) => !one)) return null;
  const equal = equalWords(field);
  return (
    <span className={styles.about}>
      {comment && <span>{[comment, ...type_comments].join('; ')}</span>}
      {references && (
        <span>
          <Icon of={IconArrowRight} small />{' '}
          <code>{`${entityName(references.schema, references.entity)}.${references.field}`}</code>
        </span>
      )}
      {attributes && (
        <span>
          of <code>{attributeWords(field)}</code>
        </span>
      )}
      {enum_values && <span>one of {enum_values.join(', ')}</span>}
      {collation && (
        <span>
          collation <code>{shortId(collation.name)}</code>
          {equal !== null && `: ${equal}`}
        </span>
      )}
      {filled !== null && (
        <span>
          default: <code>{filled}</code>
        </span>
      )}
      {numbering && <span>numbers {numbering}</span>}
    </span>
  );
}

/** Links to an entity of this chapter. Entities that are not exposed, such as auth.users, have no page. */
function EntityLink({ appRef, schema, name }: { appRef: string; schema: string; name: string }) {
  return (
    <Link to="/app/$ref/entities" params={{ ref: appRef }} search={{ entity: entityId(schema, name) }} replace>
      <code>{entityName(schema, name)}</code>
    </Link>
  );
}

const storage = (entity: Entity): [string, string][] => [
  ['Owner', entity.owner],
  ...(entity.figures && entity.kind !== 'view'
    ? [
        ['Rows, about', count(entity.figures.rows_estimate)] as [string, string],
        ['Size', bytes(entity.figures.size_bytes)] as [string, string],
      ]
    : []),
  ...(entity.unlogged ? [['Unlogged', 'its rows are lost when the server fails'] as [string, string]] : []),
  ...(entity.partitions > 0 ? [['Partitions', count(entity.partitions)] as [string, string]] : []),
  ...(entity.inherits.length > 0 ? [['Inherits', entity.inherits.join(', ')] as [string, string]] : []),
  ...(entity.extension !== null ? [['Extension', entity.extension] as [string, string]] : []),
];
