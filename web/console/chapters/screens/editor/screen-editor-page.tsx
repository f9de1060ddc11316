import { IconCopy, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { ScreensChapter } from '../../../../../contract/description.ts';
import type { Specification } from '../../../../../contract/specification.ts';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { Button, buttonClass } from '../../../../ui/button.tsx';
import { Empty } from '../../../../ui/empty.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { Skeleton } from '../../../../ui/table.tsx';
import { Tag } from '../../../../ui/tag.tsx';
import { Page } from '../../../layout/page.tsx';
import { fileName } from '../../../migrations/file-name.ts';
import { type FormMigration, isPhone, useMigrationPage } from '../../../migrations/migration-page.tsx';
import { entityList } from '../../../queries/entities.ts';
import { specification } from '../../../queries/specification.ts';
import { useCallerChoice } from '../use-caller-choice.ts';
import { changeWords } from './change-words.ts';
import { type Definition, readDefinitions } from './definitions.ts';
import { definitionsSql } from './definitions-sql.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { type Draft, definitionsOf, type Edited, editedItem } from './draft.ts';
import { type EditorContext, languagesOf } from './editor-context.ts';
import { EditorFrame } from './editor-frame.tsx';
import { closedFields, definitionFaults, type Fault, type OptionName, optionOfReason } from './faults.ts';
import { copyOf, isNewKind, isOfEntity, newDefinition } from './new-design.ts';
import { NewScreenPage } from './new-screen-page.tsx';
import { type Device, PreviewPane, PreviewTools, screensAs } from './preview-pane.tsx';
import { Options } from './screen-options.tsx';
import { useDraft } from './use-draft.ts';

/** The screen that the address names: a route, or `new` with a kind and an entity, or with the screen that it copies. */
export interface EditAddress {
  readonly edit: string;
  readonly kind?: string | undefined;
  readonly of?: string | undefined;
  readonly from?: string | undefined;
}

/** Page that creates or changes a screen or a page for members without SQL. */
export function ScreenEditorPage({
  appRef,
  address,
  onDone,
}: {
  appRef: string;
  address: EditAddress;
  /** Opens the chapter with a screen; null without one. */
  onDone: (route: string | null) => void;
}) {
  const { data } = useQuery(specification(appRef));
  const { data: entities } = useQuery(entityList(appRef));
  const chapter = data?.chapters.screens;
  if (!data || !chapter || !entities) {
    return (
      <Page appRef={appRef} crumbs={crumbsOf(appRef, '…')}>
        <Skeleton width={240} />
      </Page>
    );
  }
  return <Loaded key={JSON.stringify(address)} {...{ appRef, address, onDone, entities, chapter }} all={data} />;
}

export const crumbsOf = (appRef: string, name: string) => [
  { text: '2 Screens', link: { to: '/app/$ref/screens', params: { ref: appRef } } as const },
  { text: name },
];

interface LoadedProps {
  appRef: string;
  address: EditAddress;
  onDone: (route: string | null) => void;
  entities: readonly Entity[];
  chapter: ScreensChapter;
  all: Specification;
}

function Loaded({ address, ...props }: LoadedProps) {
  const { appRef, entities, all } = props;
  // The chapter at the beginning: a refresh of the specification must not change what the editor compares with.
  const [chapter] = useState(props.chapter);
  const exposed = entities.filter((entity) => entity.exposed);
  const machines = new Set((all.chapters.states?.machines ?? []).map(({ entity }) => entity));
  const [first] = useState(() => beginning(address, chapter, entities, machines));
  if (first === 'choose') {
    return <NewScreenPage {...{ appRef, chapter, machines }} entities={exposed} />;
  }
  if (first === null) {
    return (
      <Page appRef={appRef} crumbs={crumbsOf(appRef, address.edit)}>
        <Empty title="No such screen">
          <p>
            There is no screen at {address.from ?? address.edit}.{' '}
            <Link to="/app/$ref/screens" params={{ ref: appRef }}>
              See all screens
            </Link>
          </p>
        </Empty>
      </Page>
    );
  }
  return <Editor {...props} chapter={chapter} first={first} />;
}

interface Beginning {
  readonly edited: Edited;
  readonly item: Definition;
}

/** Returns what the editor begins with; `choose` for the choice of a kind, null if the address names no screen. */
function beginning(
  { edit, kind, of, from }: EditAddress,
  chapter: ScreensChapter,
  entities: readonly Entity[],
  machines: ReadonlySet<string>,
): Beginning | 'choose' | null {
  if (edit !== 'new') {
    const edited = editedItem(chapter, edit);
    return edited?.start ? { edited, item: edited.start } : null;
  }
  const edited = { before: readDefinitions(chapter), start: null, isDefined: false };
  if (from !== undefined) {
    const copied = editedItem(chapter, from)?.start;
    return copied ? { edited, item: copyOf(copied, chapter) } : null;
  }
  const entity = entities.find(({ id }) => id === of);
  if (!isNewKind(kind) || (isOfEntity(kind) && !entity)) return 'choose';
  const exposed = entities.filter((one) => one.exposed);
  return { edited, item: newDefinition(kind, entity, exposed, chapter, machines) };
}

function Editor({
  appRef,
  entities,
  chapter,
  all,
  first: { edited, item: start },
  onDone,
}: Omit<LoadedProps, 'address'> & { first: Beginning }) {
  const { before } = edited;
  const state = useDraft(useMemo(() => ({ item: start, labels: before.labels, menus: before.menus }), [start, before]));
  const { item } = state.draft;
  const [isDeleting, setDeleting] = useState(false);
  const fields = item.type === 'screen' ? (entities.find(({ id }) => id === item.entity)?.fields ?? []) : [];
  const faults = definitionFaults(item, fields, chapter, edited.start?.route ?? null);
  const [device, setDevice] = useState<Device>(isPhone ? 'phone' : 'desktop');
  const [language, setLanguage] = useState<string | null>(null);
  const choice = useCallerChoice(appRef);
  const page = useMigrationPage(
    appRef,
    formMigration(edited, state.draft, faults, entities),
    () => onDone(item.route),
    screensAs(choice.caller, language),
  );
  const broken = brokenReasons(chapter, page, edited.start?.route ?? null, item.route);
  const editor = useEditorContext({
    ...{ appRef, state, entities, chapter, all, isNew: edited.start === null },
    faults: [
      ...faults,
      ...closedFields(item, all.chapters.roles?.cells ?? []),
      ...broken.map((words) => ({ option: optionOfReason(words, item.type), words })),
    ],
  });
  // A route that the server has not tried yet leads to no page.
  const path = page.trial.data || page.sql === '' ? item.route : (edited.start?.route ?? item.route);
  return (
    <EditorFrame
      {...{ appRef, entities, page }}
      crumbs={crumbsOf(appRef, item.title || 'New screen')}
      steps={state}
      tab={item.type === 'page' ? 'Page' : 'Screen'}
      title={
        <>
          <h1 className="cut">{item.title || 'New screen'}</h1>
          <code>{item.route}</code>
          <Tag>{item.type === 'page' ? 'page' : item.kind}</Tag>
        </>
      }
      tools={
        <>
          <PreviewTools
            {...{ choice, device, language }}
            languages={editor.languages}
            onDevice={setDevice}
            onLanguage={setLanguage}
          />
          {edited.start && <ItemTools {...{ appRef, edited }} onDelete={() => setDeleting(true)} />}
        </>
      }
      preview={
        <PreviewPane
          {...{ appRef, choice, device, language, path }}
          title={item.title}
          sql={page.sql}
          trial={page.trial}
        />
      }
      onDiscard={() => onDone(edited.start?.route ?? null)}
    >
      <Options editor={editor} relations={all.chapters.entities?.relations ?? []} />
      {isDeleting && (
        <DeleteDialog
          {...{ appRef, edited, chapter, entities, page }}
          onDeleted={() => onDone(null)}
          onClose={() => setDeleting(false)}
        />
      )}
    </EditorFrame>
  );
}

/** Returns why nobody would see the screen: after the migration as the server tried it, or as it is without a change. */
function brokenReasons(
  { screens, pages = [] }: ScreensChapter,
  { sql, trial }: ReturnType<typeof useMigrationPage>,
  own: string | null,
  route: string,
): readonly string[] {
  if (sql === '') return [...screens, ...pages].find((one) => one.route === own)?.broken ?? [];
  return trial.data?.broken?.find(({ of }) => of === route)?.reasons ?? [];
}

/** Buttons that duplicate and delete the screen or page. */
const ItemTools = ({
  appRef,
  edited: { start, isDefined },
  onDelete,
}: {
  appRef: string;
  edited: Edited;
  onDelete: () => void;
}) =>
  start && (
    <>
      <Link
        className={buttonClass({ kind: 'quiet', small: true, square: true })}
        aria-label="Duplicate"
        title="Duplicate"
        to="/app/$ref/screens"
        params={{ ref: appRef }}
        search={{ edit: 'new', from: start.route }}
      >
        <Icon of={IconCopy} small />
      </Link>
      <Button
        small
        square
        kind="quiet"
        icon={IconTrash}
        label="Delete"
        offBecause={isDefined ? null : 'It follows from the table. Leave it out of the menus instead.'}
        onClick={onDelete}
      />
    </>
  );

/** Returns the data that the options share. */
function useEditorContext({
  all,
  faults,
  ...shared
}: Pick<EditorContext, 'appRef' | 'state' | 'entities' | 'chapter' | 'isNew'> & {
  all: Specification;
  faults: readonly Fault[];
}): EditorContext {
  const [languages, setLanguages] = useState(() => languagesOf(shared.chapter));
  const { roles, cells } = all.chapters.roles ?? { roles: [], cells: [] };
  const callable = cells.filter(
    ({ operation, verdict, role }) => operation === 'execute' && verdict !== 'never' && role !== 'service_role',
  );
  return {
    ...shared,
    roles: roles.flatMap(({ member_role: role }) => role ?? []),
    functions: [...new Set(callable.map(({ entity }) => entity.replace(/\(.*$/s, '')))],
    languages,
    addLanguage: (tag) => setLanguages((known) => [...new Set([...known, tag])].sort()),
    faultsOf: (option: OptionName) => faults.filter((one) => one.option === option).map(({ words }) => words),
  };
}

/** Returns the migration of the editor, with the migration that takes it back. */
function formMigration(
  edited: Edited,
  draft: Draft,
  faults: readonly Fault[],
  entities: readonly Entity[],
): FormMigration {
  const { before, start } = edited;
  const after = definitionsOf(edited, draft);
  const sql = definitionsSql(before, after, entities);
  const verb = start ? 'change' : 'define';
  return {
    sql,
    name: fileName(`${verb} ${draft.item.type} ${draft.item.route}`, new Date()),
    undo: {
      sql: definitionsSql(after, before, entities),
      note: start
        ? 'This migration restores the former definition, with its labels.'
        : 'This migration removes the new definition.',
    },
    problems: sql === '' && start ? [] : faults.map(({ words }) => words),
    isEarly: false,
    isChanged: sql !== '',
    summary: changeWords(before, after, start, draft.item),
  };
}
