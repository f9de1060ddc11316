import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import type { EntitiesChapter, Entity } from '../../../../contract/specification.ts';
import { Ways } from '../../../ui/empty.tsx';
import { badFigureClass, Changing, figureClass } from '../../../ui/fig.tsx';
import { Figure } from '../../../ui/figure.tsx';
import { FirstMigrations, FirstTable } from '../../contents/first-steps.tsx';
import { bytes, count, counted, entityName } from '../../format/format.ts';
import { ChapterPage } from '../chapter-page.tsx';
import { FilterField } from '../filter-field.tsx';
import { useChapter } from '../use-chapter.ts';
import { useInSight } from '../use-in-sight.ts';
import { useNeighbours } from '../use-neighbours.ts';
import { Diagram } from './diagram.tsx';
import { EntityPanel } from './entity-panel.tsx';
import { EntityTable } from './entity-table.tsx';
import { openTables } from './entity-words.ts';

const changes = [
  'Write SQL in the workshop; keep it as a migration',
  <span key="comment">
    Say what a table or a field is with <code>comment on</code>
  </span>,
];

/** Chapter 3: which things, with which fields. */
export function EntitiesPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/entities' });
  const { entity: wanted } = useSearch({ from: '/signed-in/app/$ref/entities' });
  const navigate = useNavigate();
  const { chapter, stale } = useChapter(ref, 'entities');
  const [filter, setFilter] = useState('');

  const shown = useMemo(
    () => chapter?.entities.filter((entity) => matches(entity, filter.trim().toLowerCase())),
    [chapter, filter],
  );
  const selected = chapter?.entities.find(({ id }) => id === wanted) ?? null;
  const select = useCallback(
    (entity: Entity | null) =>
      void navigate({
        to: '/app/$ref/entities',
        params: { ref },
        search: entity ? { entity: entity.id } : {},
        replace: true,
        resetScroll: false,
      }),
    [navigate, ref],
  );
  const close = useCallback(() => select(null), [select]);
  const { previous, next } = useNeighbours(shown ?? none, selected, select);
  useInSight(selected);
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
            onClose={close}
            onPrevious={previous}
            onNext={next}
          />
        )
      }
    >
      {empty ? (
        <Ways>
          <FirstTable appRef={ref} />
          <FirstMigrations appRef={ref} />
        </Ways>
      ) : (
        <>
          {chapter?.relations.length !== 0 && <Diagram chapter={chapter} selected={selected} onSelect={select} />}
          <Figure
            number="Table 3.2"
            caption="Every entity"
            tools={<FilterField label="Filter entities" value={filter} onChange={setFilter} />}
          >
            <EntityTable
              entities={shown}
              all={chapter?.entities.length ?? 0}
              filter={filter}
              stale={stale}
              selected={selected}
              onSelect={select}
            />
          </Figure>
        </>
      )}
    </ChapterPage>
  );
}

const none: readonly Entity[] = [];

/** Whether an entity, or one of its fields, holds what was typed. */
const matches = ({ schema, name, fields }: Entity, text: string): boolean =>
  entityName(schema, name).toLowerCase().includes(text) ||
  fields.some((field) => field.name.toLowerCase().includes(text));

/** "7 tables and 1 view with 38 fields hold about 123,770 rows in 50 MB; 9 relations join them." */
function Answer({ chapter }: { chapter: EntitiesChapter }) {
  const { entities, relations } = chapter;
  if (entities.length === 0) return <>None yet. The first table appears here as soon as it is made.</>;
  const views = entities.filter(({ kind }) => kind === 'view' || kind === 'materialized view').length;
  const tables = entities.length - views;
  const fields = entities.reduce((sum, entity) => sum + entity.fields.length, 0);
  const rows = entities.reduce((sum, { figures }) => sum + (figures?.rows_estimate ?? 0), 0);
  const size = entities.reduce((sum, { figures }) => sum + (figures?.size_bytes ?? 0), 0);
  const open = openTables(chapter);
  const proof = (text: string, bad = false) => (
    <a className={bad ? badFigureClass : figureClass} href="#table-3-2">
      <Changing value={text}>{text}</Changing>
    </a>
  );
  return (
    <>
      {proof(counted(tables, 'table'))}
      {views > 0 && <> and {proof(counted(views, 'view'))}</>} with {proof(counted(fields, 'field'))}{' '}
      {entities.length === 1 ? 'holds' : 'hold'} about {proof(counted(rows, 'row'))} in {bytes(size)}
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
