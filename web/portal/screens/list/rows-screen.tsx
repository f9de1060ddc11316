import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { PortalScreen } from '../../../../contract/portal.ts';
import { inSentence, t } from '../../../language/messages.ts';
import { quoted } from '../../../rows/query.ts';
import { SearchField } from '../../../ui/search-field.tsx';
import { isUnreachable } from '../../queries/connection.ts';
import { searchedFields, searchedReferences } from '../../queries/query.ts';
import { openedEntity, type Place, readableFields, useScreens } from '../../queries/screens.ts';
import { ActionButtons, type RowActions, useActionRun, useRowActions } from '../shared/actions.tsx';
import styles from '../shared/page.module.css';
import { Trouble } from '../shared/trouble.tsx';
import { Shell } from '../shell/shell.tsx';
import { Download } from './download.tsx';
import { Filters } from './filters.tsx';
import { ListHead } from './list-head.tsx';
import listStyles from './list-page.module.css';
import { conditionsIn, type ListSearch, narrowingIn, type Order, orderIn, toSearch } from './list-search.ts';
import { SavedViews } from './saved-views.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { type RowWindow, useRowWindow } from './use-row-window.ts';
import { type Selection, useSelection } from './use-selection.ts';

/** The rows of a screen, and what the member can do with them. */
export interface ScreenRows {
  readonly list: RowWindow;
  readonly selection: Selection;
  /** The query of the rows as text. */
  readonly query: string;
  readonly order: Order;
  /** The functions that take a row; null if there are none. */
  readonly rowActions: RowActions | null;
  /** Changes the search, the conditions or the order in the address. */
  readonly go: ReturnType<typeof useListQuery>['go'];
  /** Called with the numbers of the first and the last page of which rows are drawn. */
  readonly onVisible: (from: number, to: number) => void;
}

/**
 * Screen of many rows, which its children draw: the title with the count, the functions of the screen, search and
 * filters, and what can be done with several rows.
 */
export function RowsScreen({
  screen,
  entity,
  canSelectRows = canSelect(entity),
  children,
}: Pick<Place, 'screen' | 'entity'> & {
  canSelectRows?: boolean;
  children: (rows: ScreenRows) => ReactNode;
}) {
  const all = useScreens();
  const asked = useListQuery({ screen, entity });
  const { query, columns, words, conditions, order, go } = asked;
  const [visible, setVisible] = useState<readonly [number, number]>([0, 0]);
  const list = useRowWindow({ entity, columns, query }, visible);
  const queryText = JSON.stringify([entity.id, query]);
  const selection = useSelection(entity, queryText);
  const isNarrowed = words !== '' || Object.keys(conditions).length > 0;
  const run = useActionRun(entity);
  const rowActions = useRowActions(screen, run.begin);
  const head = { screen, entity, target: openedEntity(all, entity), list, query };
  return (
    <Shell title={screen.title} isFollowed={!list.error}>
      <ListHead {...head} buttons={<ActionButtons actions={screen.actions} run={run} isFirst />} />
      {run.panel}
      <SavedViews route={screen.route} isNarrowed={isNarrowed || asked.isOrdered} />
      <div className={listStyles.ask}>
        {searchedFields(entity).length + searchedReferences(all, entity).length > 0 && (
          <SearchField
            label={t('searchList')}
            example={t('searchList')}
            value={words}
            onSearch={(q) => {
              if (q !== words) go({ q });
            }}
          />
        )}
        <Filters
          entity={entity}
          filter={screen.filter}
          conditions={conditions}
          onChange={(next) => go({ conditions: next })}
        />
      </div>
      <Trouble error={list.rows.length > 0 && isUnreachable(list.error) ? null : list.error} />
      {!list.isLoading && !list.error && list.total === 0 ? (
        <Blank
          isNarrowed={isNarrowed}
          label={entity.label}
          empty={screen.empty}
          onClear={() => go({ q: '', conditions: {} })}
        />
      ) : (
        children({
          ...{ list, selection, query: queryText, order, rowActions, go },
          onVisible: (from, to) => setVisible([from, to]),
        })
      )}
      {list.total > 0 && (
        <div className={styles.foot}>
          <Download {...{ screen, entity, query, columns }} />
          {canSelectRows && !selection.isOn && (
            <button type="button" className={styles.word} onClick={() => selection.setOn(true)}>
              {t('selectRows')}
            </button>
          )}
        </div>
      )}
      <SelectionBar
        title={screen.title}
        entity={entity}
        fields={readableFields(entity, screen.columns)}
        selection={selection}
      />
    </Shell>
  );
}

/** Rows can be selected if they have a key. */
export const canSelect = ({ key }: Place['entity']): boolean => key.length > 0;

/** Returns the search, the conditions and the order in the address, and the query of the list that follows from them. */
function useListQuery({ screen, entity }: Pick<Place, 'screen' | 'entity'>) {
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as ListSearch;
  const conditions = conditionsIn(search, entity);
  const order = orderIn(search, entity, screen.order);
  const narrowing = narrowingIn(search, entity, new Date());
  const words = narrowing.search;
  return {
    query: { filter: screen.filter, order: groupedOrder(screen, order.text), ...narrowing },
    columns: [...screen.columns, ...[screen.group, screen.picture].filter((name) => name !== null)],
    ...{ words, conditions, order, isOrdered: search.order !== undefined },
    go: (next: Partial<Parameters<typeof toSearch>[0]>) =>
      void navigate({
        to: '.',
        search: toSearch({ q: words, conditions, order: search.order, ...next }) as never,
        replace: true,
      }),
  };
}

/** Returns an order by the field of the groups first, so that the rows of a group are next to each other. */
const groupedOrder = ({ group }: PortalScreen, order: string | null): string | null =>
  group === null ? order : [quoted(group), ...(order === null ? [] : [order])].join(',');

/** Empty state of a list. */
function Blank({
  isNarrowed,
  label,
  empty,
  onClear,
}: {
  isNarrowed: boolean;
  label: string;
  /** The words of the app. */
  empty: string | null;
  onClear: () => void;
}) {
  const why = isNarrowed ? t('nothingFoundWhy') : empty === null && t('nothingYetWhy', { label: inSentence(label) });
  return (
    <section className={styles.blank}>
      <h2>{isNarrowed ? t('nothingFound') : (empty ?? t('nothingYet'))}</h2>
      {why && <p className={styles.blankWords}>{why}</p>}
      {isNarrowed && (
        <button type="button" className={styles.word} onClick={onClear}>
          {t('clearFilters')}
        </button>
      )}
    </section>
  );
}
