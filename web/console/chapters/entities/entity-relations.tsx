import { Link } from '@tanstack/react-router';
import { entityId } from '../../../../contract/entity-names.ts';
import type { Entity, Junction, Relation, ViewForeignKey } from '../../../../contract/specification-entities.ts';
import { KeyValues, PanelSection } from '../../../ui/panel.tsx';
import { counted, entityName, shortId } from '../../format/format.ts';
import { arrivingWords, leavingWords, relationsOf } from './entity-words.ts';

/** The relations of an entity in both directions. */
export function EntityRelations({
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
      <Embedded appRef={appRef} keys={shownKeys.filter(({ view }) => view === entity.id)} />
      <Joined appRef={appRef} entity={entity} junctions={junctions} />
    </>
  );
}

/** The entities whose rows a view can embed, by the foreign keys of its tables. */
function Embedded({ appRef, keys }: { appRef: string; keys: readonly ViewForeignKey[] }) {
  if (keys.length === 0) return null;
  return (
    <PanelSection title="Embedded in its rows" aside="by keys of the base tables">
      <KeyValues
        pairs={keys.map((key) => {
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
  );
}

/** The entities that a junction table joins to the entity (many-to-many). */
function Joined({ appRef, entity, junctions }: { appRef: string; entity: Entity; junctions: readonly Junction[] }) {
  const joined = junctions.filter(({ from, to }) => from === entity.id || to === entity.id);
  if (joined.length === 0) return null;
  return (
    <PanelSection title="Joined to" aside="many to many">
      <KeyValues
        pairs={joined.map(({ name, from, to, through }) => [
          shortId(from === entity.id ? to : from),
          <span key={`${through} ${name}`}>
            <span className="soft">through </span>
            <Link to="/app/$ref/entities" params={{ ref: appRef }} search={{ entity: through }}>
              <code>{shortId(through)}</code>
            </Link>
          </span>,
        ])}
      />
    </PanelSection>
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
