import { IconPlus, IconTerminal2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { Entity } from '../../../../contract/specification-entities.ts';
import { FilesContext } from '../../../files/files-access.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { Code } from '../../../ui/code.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Toolbar, Workbench } from '../../../ui/workbench.tsx';
import { useChapter } from '../../chapters/use-chapter.ts';
import { Page } from '../../layout/page.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { entityList } from '../../queries/entities.ts';
import { useFieldFiles } from '../../queries/files/field-files.ts';
import { withListedValues } from '../../values/listed-values.ts';
import styles from './data.module.css';
import { DesignPage } from './design/design-page.tsx';
import { EntityNav } from './entity-nav.tsx';
import { ImportPage } from './import/import-page.tsx';
import { TablePage } from './table-page.tsx';
import type { SearchChange } from './use-table-sheet.ts';

const firstTable = `create table public.notes (
  id bigint generated always as identity primary key,
  body text not null,
  at timestamptz not null default now()
);`;

/** Page of an app's tables and views with their rows. */
export function DataPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/data' });
  const search = useSearch({ from: '/signed-in/app/$ref/data' });
  const navigate = useNavigate({ from: '/app/$ref/data' });
  const { data: read, error, isFetching, refetch } = useQuery(entityList(ref));
  const files = useFieldFiles(ref);
  const { chapter } = useChapter(ref, 'rules');
  const entities = useMemo(() => read && withListedValues(read, chapter?.rules ?? []), [read, chapter]);
  const onSearch = useCallback(
    (change: SearchChange) =>
      void navigate({ search: (before) => withoutGaps({ ...before, ...change }), replace: true }),
    [navigate],
  );
  const entity = entities && chosen(entities, search.table);

  if (entities && (search.design === 'new' || (entity && search.design === 'table'))) {
    const designed = search.design === 'new' ? null : (entity ?? null);
    return (
      <DesignPage
        key={designed?.id ?? ''}
        appRef={ref}
        entities={entities}
        entity={designed}
        onDone={(table) => void navigate({ search: table === null ? {} : { table } })}
      />
    );
  }
  if (entities && entity && search.import) {
    return (
      <ImportPage
        key={entity.id}
        appRef={ref}
        entities={entities}
        table={{ ref, entity, requestRole: search.as ?? 'service' }}
        onSeat={(as) => onSearch({ as: as === 'service' ? undefined : as })}
        onClose={() => onSearch({ import: undefined })}
      />
    );
  }
  if (entities && entity) {
    return (
      <FilesContext value={files}>
        <TablePage appRef={ref} entities={entities} entity={entity} search={search} onSearch={onSearch} />
      </FilesContext>
    );
  }
  // Ninefold's own schemas always contain entities, so the page is empty if the schema public has none.
  const empty = entities !== undefined && !entities.some(({ schema }) => schema === 'public');
  return (
    <Page appRef={ref} crumbs={[{ text: 'Data' }]} fetching={isFetching} bare>
      <Workbench list={<EntityNav appRef={ref} current={null} />}>
        <Toolbar title="Data" />
        <div className={styles.instead}>
          {error && !entities && (
            <Failure facts={failureFacts(error)} onRetry={() => void refetch()} busy={isFetching} />
          )}
          {entities && search.table !== undefined && (
            <Empty title={`There is no ${search.table} here`}>
              <p>The table may have been dropped or renamed. Choose another table.</p>
            </Empty>
          )}
          {empty && search.table === undefined && <NoTables appRef={ref} />}
        </div>
      </Workbench>
    </Page>
  );
}

/** Empty state of an app without tables. */
function NoTables({ appRef }: { appRef: string }) {
  const params = { ref: appRef };
  return (
    <Empty title="No tables yet">
      <p>Create a table with a form, or in SQL. It appears here immediately.</p>
      <p>
        <Link to="/app/$ref/data" params={params} search={{ design: 'new' }} className={buttonClass({ kind: 'first' })}>
          <Icon of={IconPlus} />
          New table
        </Link>
      </p>
      <Code code={firstTable} language="sql" label="the statement" />
      <p>
        <Link to="/app/$ref/sql" params={params} search={{ sql: firstTable }} className={buttonClass()}>
          <Icon of={IconTerminal2} />
          Open it in SQL
        </Link>
      </p>
    </Empty>
  );
}

/** Returns the entity in the address; without one the first table of the schema public, or else the first entity. */
function chosen(entities: readonly Entity[], id: string | undefined): Entity | undefined {
  if (id !== undefined) return entities.find((entity) => entity.id === id);
  const own = entities.filter(({ schema }) => schema === 'public');
  return own.find(({ kind }) => kind.endsWith('table')) ?? own[0];
}

/** Removes undefined values, so that the address contains no empty parameters. */
const withoutGaps = <T extends object>(search: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
