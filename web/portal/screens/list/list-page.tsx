import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { PortalScreen } from '../../../../contract/portal.ts';
import { inSentence, t } from '../../../language/messages.ts';
import { quoted } from '../../../rows/query.ts';
import { SearchField } from '../../../ui/search-field.tsx';
import { isUnreachable } from '../../queries/connection.ts';
import { searchedFields } from '../../queries/query.ts';
import { openedEntity, type Place, readableFields, useScreens } from '../../queries/screens.ts';
import { Actions } from '../shared/actions.tsx';
import { Trouble } from '../shared/message.tsx';
import styles from '../shared/page.module.css';
import { Shell } from '../shell/shell.tsx';
import { Download } from './download.tsx';
import { Filters } from './filters.tsx';
import { ListHead } from './list-head.tsx';
import listStyles from './list-page.module.css';
import { conditionsIn, type ListSearch, narrowingIn, type Order, orderIn, toSearch } from './list-search.ts';
import { LongTable } from './long-table.tsx';
import { SavedViews } from './saved-views.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { useRowWindow } from './use-row-window.ts';
import { useSelection } from './use-selection.ts';

/** List of rows with the columns of its screen. The address contains the member's search, conditions and order. */
export function ListPage({ screen, entity }: Place) {
  const all = useScreens();
  const asked = useListQuery({ screen, entity });
  const { query, columns, words, conditions, order, go } = asked;
  const [visible, setVisible] = useState<readonly [number, number]>([0, 0]);
  const list = useRowWindow({ entity, columns, query }, visible);
  const queryText = JSON.stringify([entity.id, query]);
  const selection = useSelection(entity, queryText);
  const target = openedEntity(all, entity);
  const isNarrowed = words !== '' || Object.keys(conditions).length > 0;
  const fields = useMemo(() => readableFields(entity, screen.columns), [entity, screen]);
  return (
    <Shell title={screen.title} isFollowed={!list.error}>
      <ListHead screen={screen} entity={entity} target={target} list={list} query={query} />
      <Actions actions={screen.actions} />
      <SavedViews route={screen.route} isNarrowed={isNarrowed || asked.isOrdered} />
      <div className={listStyles.ask}>
        {searchedFields(entity).length > 0 && (
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
        <Blank isNarrowed={isNarrowed} label={entity.label} onClear={() => go({ q: '', conditions: {} })} />
      ) : (
        <LongTable
          label={screen.title}
          entity={entity}
          columns={fields}
          list={list}
          group={screen.group}
          query={queryText}
          order={order}
          onOrder={(next: Order) => go({ order: next.text ?? undefined })}
          onVisible={(from, to) => setVisible([from, to])}
          selection={canSelect(entity) ? selection : null}
        />
      )}
      {list.total > 0 && (
        <div className={styles.foot}>
          <Download {...{ screen, entity, query, columns }} />
          {canSelect(entity) && !selection.isOn && (
            <button type="button" className={styles.word} onClick={() => selection.setOn(true)}>
              {t('selectRows')}
            </button>
          )}
        </div>
      )}
      <SelectionBar title={screen.title} entity={entity} fields={fields} selection={selection} />
    </Shell>
  );
}

/** Rows can be selected if they have a key. */
const canSelect = ({ key }: Place['entity']): boolean => key.length > 0;

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
    columns: screen.group === null ? screen.columns : [...screen.columns, screen.group],
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
function Blank({ isNarrowed, label, onClear }: { isNarrowed: boolean; label: string; onClear: () => void }) {
  return (
    <section className={styles.blank}>
      <h2>{isNarrowed ? t('nothingFound') : t('nothingYet')}</h2>
      <p className={styles.blankWords}>
        {isNarrowed ? t('nothingFoundWhy') : t('nothingYetWhy', { label: inSentence(label) })}
      </p>
      {isNarrowed && (
        <button type="button" className={styles.word} onClick={onClear}>
          {t('clearFilters')}
        </button>
      )}
    </section>
  );
}
