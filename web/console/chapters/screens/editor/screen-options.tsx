import type { ReactNode } from 'react';
import { entityId } from '../../../../../contract/entity-names.ts';
import type { Relation } from '../../../../../contract/specification-entities.ts';
import { MenuOption, WhoOption } from './audience-options.tsx';
import type { ScreenDefinition } from './definitions.ts';
import type { EditorContext } from './editor-context.ts';
import { FieldsOption } from './fields-option.tsx';
import { PartsOption } from './parts-option.tsx';
import {
  ActionsOption,
  CalendarOption,
  FilterOption,
  GroupOption,
  PictureOption,
  RelatedOption,
  SortOption,
} from './rows-options.tsx';
import { EmptyOption, TitleOption } from './text-options.tsx';

/** The options of the screen or page in the editor. */
export function Options({ editor, relations }: { editor: EditorContext; relations: readonly Relation[] }) {
  const { item } = editor.state.draft;
  return (
    <>
      <TitleOption editor={editor} />
      {item.type === 'page' ? (
        <PartsOption editor={editor} item={item} />
      ) : (
        <ScreenOptions editor={editor} item={item} relations={relations} />
      )}
      <WhoOption editor={editor} item={item} />
      <MenuOption editor={editor} item={item} />
    </>
  );
}

function ScreenOptions({
  editor,
  item,
  relations,
}: {
  editor: EditorContext;
  item: ScreenDefinition;
  relations: readonly Relation[];
}) {
  const entity = editor.entities.find(({ id }) => id === item.entity);
  if (!entity) return <p>The table {item.entity} is gone. Delete the screen, or restore the table.</p>;
  const of = { editor, item, entity };
  const { kind } = item;
  const hasRows = kind !== 'detail' && kind !== 'form';
  const referring = [
    ...new Set(
      relations
        .filter(({ to }) => entityId(to.schema, to.entity) === item.entity)
        .map(({ from }) => entityId(from.schema, from.entity)),
    ),
  ];
  const shown: (readonly [boolean, string, ReactNode])[] = [
    [kind === 'calendar', 'calendar', <CalendarOption key="calendar" {...of} />],
    [kind === 'gallery', 'picture', <PictureOption key="picture" {...of} />],
    [true, 'fields', <FieldsOption key="fields" {...of} implied={impliedColumns(editor, item)} />],
    [hasRows, 'filter', <FilterOption key="filter" {...of} />],
    [hasRows, 'sort', <SortOption key="sort" {...of} />],
    [kind === 'list', 'group', <GroupOption key="group" {...of} />],
    [
      kind === 'detail' && referring.length > 0,
      'related',
      <RelatedOption key="related" {...of} referring={referring} />,
    ],
    [true, 'actions', <ActionsOption key="actions" {...of} />],
    [hasRows, 'empty', <EmptyOption key="empty" editor={editor} empty={item.empty} />],
  ];
  return shown.filter(([isShown]) => isShown).map(([, , option]) => option);
}

/** Returns the fields that a screen has if its definition names none, as far as chapter 2 says. Pure. */
function impliedColumns({ chapter: { screens }, entities }: EditorContext, item: ScreenDefinition): readonly string[] {
  const alike = screens.filter(
    (one) => one.entity === item.entity && !one.given?.includes('columns') && one.broken.length === 0,
  );
  const list = alike.find(({ kind }) => kind === 'list');
  const found = alike.find(({ kind }) => kind === item.kind) ?? (item.kind === 'form' ? undefined : list);
  return (
    found?.columns ??
    entities
      .find(({ id }) => id === item.entity)
      ?.fields.filter(({ generated, identity }) => item.kind !== 'form' || (generated === null && identity === null))
      .map(({ name }) => name) ??
    []
  );
}
