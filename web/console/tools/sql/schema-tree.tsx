import { sqlName } from '../../../../contract/entity-names.ts';
import type { Entity } from '../../../../contract/specification-entities.ts';
import { SideGroup, sideFigureClass, sideItemClass } from '../../../ui/workbench.tsx';
import { entityName } from '../../format/format.ts';
import { shortType } from '../../values/field-kind.ts';
import { snippets } from './snippets.ts';
import styles from './sql-page.module.css';

/** The schema whose tables are listed first. The tables of other schemas are in closed groups. */
const OWN = 'public';

/** Lists the tables and views with their fields. A name is inserted into the statement, where the cursor is. */
export function SchemaTree({
  entities,
  onInsert,
}: {
  entities: readonly Entity[] | undefined;
  onInsert: (text: string) => void;
}) {
  const own = entities?.filter(({ schema }) => schema === OWN) ?? [];
  const others = entities?.filter(({ schema }) => schema !== OWN) ?? [];
  const schemas = [...new Set(others.map(({ schema }) => schema))];
  return (
    <SideGroup title="Tables">
      {entities && own.length === 0 && (
        <p className={styles.none}>No tables yet. Start with the snippet “Create a table”.</p>
      )}
      {own.map((entity) => (
        <Table key={entity.id} entity={entity} onInsert={onInsert} />
      ))}
      {schemas.length > 0 && (
        <details>
          <summary className={sideItemClass}>
            <span className="soft">Other schemas</span>
          </summary>
          {schemas.map((schema) => (
            <details key={schema} className={styles.schema}>
              <summary className={sideItemClass}>
                <span className="soft">{schema}</span>
              </summary>
              {others
                .filter((entity) => entity.schema === schema)
                .map((entity) => (
                  <Table key={entity.id} entity={entity} onInsert={onInsert} />
                ))}
            </details>
          ))}
        </details>
      )}
    </SideGroup>
  );
}

function Table({ entity, onInsert }: { entity: Entity; onInsert: (text: string) => void }) {
  const { id, schema, name, fields } = entity;
  return (
    <details className={styles.table}>
      <summary className={sideItemClass}>
        <code>{entityName(schema, name)}</code>
      </summary>
      <button type="button" className={sideItemClass} onClick={() => onInsert(id)}>
        <span className="soft">Insert the name</span>
      </button>
      {fields.map((field) => (
        <button
          key={field.name}
          type="button"
          className={sideItemClass}
          aria-label={`Insert ${field.name}`}
          onClick={() => onInsert(sqlName(field.name))}
        >
          <code>{field.name}</code>
          <span className={sideFigureClass}>{shortType(field.type)}</span>
        </button>
      ))}
    </details>
  );
}

/** Lists statements to begin with. A press opens the statement in place of the current one. */
export const Snippets = ({
  entities,
  onOpen,
}: {
  entities: readonly Entity[] | undefined;
  onOpen: (sql: string) => void;
}) => (
  <SideGroup title="Snippets">
    {snippets(entities ?? []).map(({ name, sql }) => (
      <button key={name} type="button" className={sideItemClass} onClick={() => onOpen(sql)}>
        <span>{name}</span>
      </button>
    ))}
  </SideGroup>
);
