import { IconTable } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { isMachineTrigger } from '../../../../contract/machine-trigger.ts';
import type { Entity, Junction, Relation, ViewForeignKey } from '../../../../contract/specification-entities.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { Code } from '../../../ui/code.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { KeyValues, type Pair, Panel, PanelSection, type PanelSteps, VerdictLine } from '../../../ui/panel.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { bytes, count, entityName, shortId } from '../../format/format.ts';
import styles from './entities.module.css';
import { EntityFields } from './entity-fields.tsx';
import { EntityRelations } from './entity-relations.tsx';
import { checkWords, overlapWords, triggerRemark } from './entity-words.ts';

/** Panel of an entity: its fields, its relations in both directions, its triggers. */
export function EntityPanel({
  appRef,
  entity,
  relations,
  junctions,
  shownKeys,
  ...steps
}: {
  appRef: string;
  entity: Entity;
  relations: readonly Relation[];
  junctions: readonly Junction[];
  shownKeys: readonly ViewForeignKey[];
} & PanelSteps) {
  const name = entityName(entity.schema, entity.name);
  return (
    <Panel
      label={name}
      title={
        <>
          <code>{name}</code> <span className="soft">{entity.kind}</span>
        </>
      }
      {...steps}
    >
      {entity.comment && <VerdictLine>{entity.comment}</VerdictLine>}
      <EntityFields appRef={appRef} entity={entity} />
      <EntityRelations {...{ appRef, entity, relations, junctions, shownKeys }} />
      <UniqueKeys entity={entity} />
      {entity.triggers.some(isMachineTrigger) && (
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
      <EntityCode entity={entity} />
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

/** The unique keys of an entity, and its keys that are unique only among rows with overlapping periods. */
function UniqueKeys({ entity: { unique_keys: keys, period_keys: periodKeys = [] } }: { entity: Entity }) {
  if (keys.length + periodKeys.length === 0) return null;
  return (
    <PanelSection title="Unique">
      <ul>
        {keys.map((key) => (
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
  );
}

/** The SQL that belongs to an entity: its own triggers, its rewrite rules and the query of a view. */
function EntityCode({ entity }: { entity: Entity }) {
  const name = entityName(entity.schema, entity.name);
  return (
    <>
      {entity.triggers
        .filter((trigger) => !isMachineTrigger(trigger))
        .map((trigger) => (
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
    </>
  );
}

/** Describes which written rows a view accepts, and whether PostgreSQL checks the view's condition before the conditions of the caller. */
function QueryWords({ entity }: { entity: Entity }) {
  const taken = checkWords(entity);
  if (taken === null && !entity.security_barrier) return null;
  return (
    <KeyValues
      pairs={[
        taken !== null && ['Accepts', taken],
        entity.security_barrier && ['Checks', 'its own condition before the conditions of the caller'],
      ]}
    />
  );
}

const storage = (entity: Entity): Pair[] => [
  ['Owner', entity.owner],
  entity.figures && entity.kind !== 'view' && ['Rows, about', count(entity.figures.rows_estimate)],
  entity.figures && entity.kind !== 'view' && ['Size', bytes(entity.figures.size_bytes)],
  entity.unlogged && ['Unlogged', 'its rows are lost when the server fails'],
  entity.partitions > 0 && ['Partitions', count(entity.partitions)],
  entity.inherits.length > 0 && ['Inherits', entity.inherits.join(', ')],
  entity.extension !== null && ['Extension', entity.extension],
];
