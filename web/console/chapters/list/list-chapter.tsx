import { type ComponentType, type ReactNode, useMemo } from 'react';
import type { Chapters } from '../../../../contract/specification.ts';
import type { Source } from '../../../../contract/specification-source.ts';
import type { PanelSteps } from '../../../ui/panel.tsx';
import { type SearchParameter, useSearchParameter } from '../../layout/use-search-parameter.ts';
import type { BuiltChapter } from '../../navigation/chapter-pages.ts';
import { ChapterPage } from '../chapter-page.tsx';
import { useChapter } from '../use-chapter.ts';
import { FoldedGroups, type Folding } from './folded-groups.tsx';
import type { ListColumn } from './list-table.tsx';
import { MainTable } from './main-table.tsx';
import { useList } from './use-list.ts';

type ListedChapter = {
  [K in BuiltChapter]: NonNullable<Chapters[K]> extends { sources: Source[] } ? K : never;
}[BuiltChapter];

/** The fixed parts of a chapter that is one list of items. */
export interface ListDescriptor<K extends ListedChapter, T extends { readonly id: string }> {
  readonly chapter: K;
  /** Parameter of the address with the id of the item in the panel. */
  readonly parameter: SearchParameter;
  /** Number of the table, for example "Table 7.1". */
  readonly number: string;
  /** Singular and plural name of the items, for example "call" and "calls". */
  readonly what: readonly [singular: string, plural: string];
  readonly items: (chapter: NonNullable<Chapters[K]>) => readonly T[];
  /** Returns the searchable text of an item. */
  readonly textOf: (item: T) => string;
  /** Returns the accessible name of a row, if its first cell is not sufficient. */
  readonly labelOf?: (item: T) => string;
  /** Returns the heading of a row. The rows of a group are consecutive. */
  readonly groupOf?: (item: T) => string;
  /** The answer to the question of the chapter. */
  readonly Answer: ComponentType<{ appRef: string; chapter: NonNullable<Chapters[K]> }>;
  /** Sentences that describe how to change the chapter's content. */
  readonly changes: readonly ReactNode[];
}

/** Page of a chapter that is one list: a table with a row for each item, and the panel of the selected item. */
export function ListChapter<K extends ListedChapter, T extends { readonly id: string }>({
  appRef,
  of,
  caption,
  tools,
  columns,
  keep,
  folding,
  noneKept,
  none,
  panel,
  children,
}: {
  appRef: string;
  of: ListDescriptor<K, T>;
  caption: ReactNode;
  /** Additional controls of the page, before the filter. */
  tools?: ReactNode;
  /** The columns, which can depend on the selected item. Memoised. */
  columns: readonly ListColumn<T>[] | ((selected: T | null) => readonly ListColumn<T>[]);
  /** Returns true if an item passes the page's own controls. Memoised. */
  keep?: (item: T) => boolean;
  /** Items in closed groups below the table. Memoised; undefined if the table contains all items. */
  folding?: Folding<T> | undefined;
  /** Text for a table whose controls exclude all items. */
  noneKept?: string;
  /** Shown instead of the table if the chapter has no items. */
  none?: ReactNode;
  panel: (selected: T, steps: PanelSteps) => ReactNode;
  /** Further figures below the table. */
  children?: (selected: T | null) => ReactNode;
}) {
  const { chapter, stale } = useChapter(appRef, of.chapter);
  const [chosen, choose] = useSearchParameter(of.parameter);
  const items = useMemo(() => chapter && of.items(chapter), [chapter, of]);
  const list = useList({ items, chosen, choose, textOf: of.textOf, keep, isFolded: folding?.isFolded });
  const { selected, steps } = list;
  const shown = useMemo(() => (typeof columns === 'function' ? columns(selected) : columns), [columns, selected]);
  return (
    <ChapterPage
      appRef={appRef}
      chapter={of.chapter}
      answer={chapter && <of.Answer appRef={appRef} chapter={chapter} />}
      sources={chapter?.sources ?? []}
      changes={of.changes}
      panel={selected && panel(selected, steps)}
    >
      {none !== undefined && items?.length === 0 ? (
        none
      ) : (
        <MainTable
          number={of.number}
          caption={caption}
          tools={tools}
          what={of.what}
          list={list}
          columns={shown}
          {...(of.labelOf && { labelOf: of.labelOf })}
          {...(of.groupOf && { groupOf: of.groupOf })}
          {...(noneKept !== undefined && { empty: noneKept })}
          stale={stale}
        />
      )}
      {folding && list.folded.length > 0 && (
        <FoldedGroups
          folding={folding}
          items={list.folded}
          columns={shown}
          selected={selected?.id ?? null}
          labelOf={of.labelOf}
          onOpen={list.open}
          stale={stale}
        />
      )}
      {children?.(selected)}
    </ChapterPage>
  );
}
