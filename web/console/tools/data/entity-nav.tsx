import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Entity } from '../../../../contract/specification-entities.ts';
import { SearchField } from '../../../ui/search-field.tsx';
import { Skeleton as LoadingBar } from '../../../ui/table.tsx';
import { SideGroup, SideList, sideFigureClass, sideItemClass } from '../../../ui/workbench.tsx';
import { count } from '../../format/format.ts';
import { entityList } from '../../queries/entities.ts';
import styles from './data.module.css';

/** Minimum number of tables and views with which the list has a search field. */
const SEARCHED = 12;

const isView = ({ kind }: Entity): boolean => kind === 'view' || kind === 'materialized view';

/** Lists the tables and views of the schema public, then the other schemas, which are collapsed. */
export function EntityNav({
  appRef,
  current,
  requestRole,
}: {
  appRef: string;
  current: string | null;
  requestRole?: string | undefined;
}) {
  const { data: entities } = useQuery(entityList(appRef));
  const [search, setSearch] = useState('');
  const found = entities?.filter(({ id }) => id.toLowerCase().includes(search.toLowerCase())) ?? [];
  const own = found.filter(({ schema }) => schema === 'public');
  const others = found.filter(({ schema }) => schema !== 'public');
  const schemas = [...new Set(others.map(({ schema }) => schema))];
  const item = (entity: Entity) => (
    <EntityLink
      key={entity.id}
      appRef={appRef}
      entity={entity}
      isCurrent={entity.id === current}
      requestRole={requestRole}
    />
  );
  const tables = own.filter((entity) => !isView(entity));
  const views = own.filter(isView);
  return (
    <SideList label="Tables and views">
      {entities && entities.length >= SEARCHED && (
        <div className={styles.search}>
          <SearchField label="Find table" example="Find table" value={search} onSearch={setSearch} />
        </div>
      )}
      {!entities && (
        <SideGroup title="Tables">
          {[64, 92, 78, 110].map((width) => (
            <div key={width} className={sideItemClass}>
              <LoadingBar width={width} />
            </div>
          ))}
        </SideGroup>
      )}
      {entities && (
        <SideGroup
          title="Tables"
          tool={
            <Link to="/app/$ref/data" params={{ ref: appRef }} search={{ design: 'new' }} aria-label="New table">
              New
            </Link>
          }
        >
          {tables.map(item)}
        </SideGroup>
      )}
      {views.length > 0 && <SideGroup title="Views">{views.map(item)}</SideGroup>}
      {schemas.length > 0 && (
        <SideGroup title="Schemas">
          {schemas.map((schema) => {
            const within = others.filter((entity) => entity.schema === schema);
            return (
              <details key={schema} open={within.some(({ id }) => id === current) || search !== '' || undefined}>
                <summary className={sideItemClass}>
                  <code>{schema}</code>
                  <span className={sideFigureClass}>{count(within.length)}</span>
                </summary>
                <div className={styles.within}>{within.map(item)}</div>
              </details>
            );
          })}
        </SideGroup>
      )}
    </SideList>
  );
}

function EntityLink({
  appRef,
  entity,
  isCurrent,
  requestRole,
}: {
  appRef: string;
  entity: Entity;
  isCurrent: boolean;
  requestRole: string | undefined;
}) {
  const rows = entity.figures?.rows_estimate;
  return (
    <Link
      to="/app/$ref/data"
      params={{ ref: appRef }}
      search={{ table: entity.id, ...(requestRole !== undefined && { as: requestRole }) }}
      className={sideItemClass}
      aria-current={isCurrent ? 'page' : undefined}
      activeProps={{ 'aria-current': isCurrent ? 'page' : undefined }}
      title={entity.comment ?? undefined}
    >
      <code>{entity.name}</code>
      {rows !== undefined && rows >= 0 && !(entity.kind === 'view') && (
        <span className={sideFigureClass}>{rows === 0 ? '0' : `about ${count(rows)}`}</span>
      )}
    </Link>
  );
}
