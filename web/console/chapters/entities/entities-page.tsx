import { useParams, useSearch } from '@tanstack/react-router';
import type { EntitiesChapter, Entity } from '../../../../contract/specification-entities.ts';
import { EmptyChoices } from '../../../ui/empty.tsx';
import { figureLink } from '../../../ui/live-value.tsx';
import { Verdict } from '../../../ui/verdict.tsx';
import { aboutRows, bytes, count, counted, entityName } from '../../format/format.ts';
import { useSearchParameter } from '../../layout/use-search-parameter.ts';
import { FirstMigrations, FirstTable } from '../../overview/first-steps.tsx';
import { ChapterPage } from '../chapter-page.tsx';
import { BucketTable } from '../files/file-tables.tsx';
import type { ListColumn } from '../list/list-table.tsx';
import { MainTable } from '../list/main-table.tsx';
import { useList } from '../list/use-list.ts';
import { useChapter } from '../use-chapter.ts';
import { EntityDiagram } from './entity-diagram.tsx';
import { EntityPanel } from './entity-panel.tsx';
import { openTables } from './entity-words.ts';
import { FieldPage } from './field-page.tsx';

const entityColumns: readonly ListColumn<Entity>[] = [
  { name: 'Entity', bar: 90, cell: ({ schema, name }) => <code>{entityName(schema, name)}</code> },
  { name: 'Description', look: 'words', rank: 'second', bar: 160, cell: ({ comment }) => comment },
  { name: 'Kind', rank: 'third', bar: 40, cell: ({ kind }) => kind },
  { name: 'Row-level security', rank: 'third', bar: 50, cell: (entity) => <Security entity={entity} /> },
  { name: 'Fields', look: 'figure', bar: 20, cell: ({ fields }) => count(fields.length) },
  {
    name: 'Rows, about',
    look: 'figure',
    bar: 50,
    cell: ({ kind, figures }) => figures && kind !== 'view' && count(figures.rows_estimate),
  },
  {
    name: 'Size',
    look: 'figure',
    rank: 'third',
    bar: 40,
    cell: ({ kind, figures }) =>
      figures && kind !== 'view' && <span className="soft">{bytes(figures.size_bytes)}</span>,
  },
];

/** Shows the row-level security of a table or view. */
function Security({ entity: { kind, row_level_security, security, exposed } }: { entity: Entity }) {
  if (kind === 'view' || kind === 'materialized view') {
    return <span className="soft">{security === null ? '–' : `rights of the ${security}`}</span>;
  }
  if (row_level_security) return <Verdict of="always" words="on" />;
  return <Verdict of={exposed ? 'disagrees' : 'never'} words="off" />;
}

const changes = [
  'Write SQL on the SQL page and save it as a migration',
  <span key="comment">
    Describe a table or a field with <code>comment on</code>
  </span>,
];

/** Chapter 3: the entities and their fields. If the address names a field, the page of this field. */
export function EntitiesPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/entities' });
  const { entity, field } = useSearch({ from: '/signed-in/app/$ref/entities' });
  if (entity !== undefined && field !== undefined) {
    return <FieldPage key={`${entity} ${field}`} appRef={ref} entity={entity} field={field} />;
  }
  return <Entities appRef={ref} />;
}

function Entities({ appRef: ref }: { appRef: string }) {
  const { chapter, stale } = useChapter(ref, 'entities');
  const [chosen, choose] = useSearchParameter('entity');
  const list = useList({ items: chapter?.entities, chosen, choose, textOf });
  const { selected, steps } = list;
  const empty = chapter?.entities.length === 0;

  return (
    <ChapterPage
      appRef={ref}
      chapter="entities"
      answer={chapter && <Answer chapter={chapter} />}
      sources={chapter?.sources ?? []}
      changes={changes}
      panel={
        chapter &&
        selected && (
          <EntityPanel
            appRef={ref}
            entity={selected}
            relations={chapter.relations}
            junctions={chapter.junctions}
            shownKeys={chapter.view_foreign_keys}
            {...steps}
          />
        )
      }
    >
      {empty ? (
        <EmptyChoices>
          <FirstTable appRef={ref} />
          <FirstMigrations appRef={ref} />
        </EmptyChoices>
      ) : (
        <>
          <EntityDiagram appRef={ref} chapter={chapter} selected={selected} onOpen={choose} />
          <MainTable
            number="Table 3.2"
            caption="All entities"
            what={['entity', 'entities']}
            list={list}
            columns={entityColumns}
            stale={stale}
          />
        </>
      )}
      <BucketTable number="Table 3.3" buckets={chapter?.buckets} />
    </ChapterPage>
  );
}

/** Returns the searchable text of an entity: its name and the names of its fields. */
const textOf = ({ schema, name, fields }: Entity): string =>
  [entityName(schema, name), ...fields.map((field) => field.name)].join('\n');

/**
 * Answers the question of the chapter: "7 tables and 1 view with 38 fields contain about 123,770 rows in 50 MB; 9
 * relations join them."
 */
function Answer({ chapter }: { chapter: EntitiesChapter }) {
  const { entities, relations } = chapter;
  if (entities.length === 0) return <>No entities yet. Create a table in SQL to see it here.</>;
  const views = entities.filter(({ kind }) => kind === 'view' || kind === 'materialized view').length;
  const tables = entities.length - views;
  const fields = entities.reduce((sum, entity) => sum + entity.fields.length, 0);
  const rows = entities.reduce((sum, { figures }) => sum + (figures?.rows_estimate ?? 0), 0);
  const size = entities.reduce((sum, { figures }) => sum + (figures?.size_bytes ?? 0), 0);
  const open = openTables(chapter);
  const proof = figureLink('table-3-2');
  return (
    <>
      {proof(counted(tables, 'table'))}
      {views > 0 && <> and {proof(counted(views, 'view'))}</>} with {proof(counted(fields, 'field'))}{' '}
      {entities.length === 1 ? 'contains' : 'contain'} {proof(aboutRows(rows))} in {bytes(size)}
      {relations.length > 0 && (
        <>
          ; {count(relations.length)} {relations.length === 1 ? 'relation joins' : 'relations join'} them
        </>
      )}
      .
      {open.length > 0 && (
        <>
          {' '}
          {proof(counted(open.length, 'table'), true)} {open.length === 1 ? 'has' : 'have'} no row-level security.
        </>
      )}
    </>
  );
}
