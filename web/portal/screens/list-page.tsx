import { IconPlus } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { PortalScreen } from '../../../contract/portal.ts';
import { countWords } from '../../fields/format.ts';
import { inSentence, t, tNodes } from '../../language/messages.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { usePortal } from '../data/client.ts';
import { quoted, searchedFields } from '../data/query.ts';
import { list } from '../data/rows.ts';
import { entityIn, formFor, type Place, readableFields, useScreens } from '../data/screens.ts';
import { Actions } from './actions.tsx';
import { Download } from './download.tsx';
import { Filters } from './filters.tsx';
import listStyles from './list-page.module.css';
import { conditionsIn, type ListSearch, type Order, orderIn, toSearch } from './list-search.ts';
import { Trouble } from './message.tsx';
import styles from './page.module.css';
import { RowsTable } from './rows-table.tsx';
import { SavedViews } from './saved-views.tsx';
import { Shell } from './shell.tsx';

/** List of rows with the columns of its screen. The address contains the member's search, conditions and order. */
export function ListPage({ screen, entity }: Place) {
  const portal = usePortal();
  const all = useScreens();
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as ListSearch;
  const conditions = conditionsIn(search, entity);
  const order = orderIn(search, screen.order);
  const words = search.q ?? '';
  const query = { filter: screen.filter, order: groupedOrder(screen, order.text), conditions, search: words };
  const columns = screen.group === null ? screen.columns : [...screen.columns, screen.group];
  const shown = useInfiniteQuery({
    ...list(portal, all, entity, columns, query),
    placeholderData: keepPreviousData,
    refetchInterval: 20_000,
  });
  const pages = shown.data?.pages ?? [];
  const rows = pages.flatMap((page) => page.rows);
  const total = Math.max(pages[0]?.total ?? 0, rows.length);
  const target = entity.opens ? (entityIn(all, entity.opens.entity) ?? entity) : entity;
  const form = formFor(all, target);
  const isNarrowed = words !== '' || Object.keys(conditions).length > 0;
  const go = (next: Partial<Parameters<typeof toSearch>[0]>) =>
    void navigate({
      to: '.',
      search: toSearch({ q: words, conditions, order: search.order, ...next }) as never,
      replace: true,
    });
  return (
    <Shell title={screen.title}>
      <div className={styles.titlebar}>
        <div>
          <h1 className={styles.title}>{screen.title}</h1>
          <p className={styles.answer} role="status">
            {shown.data ? answer(total, target.one, target.label) : ''}
          </p>
        </div>
        {form && (
          <div className={styles.actions}>
            <Link to={form.route} className={buttonClass({ kind: 'first' })}>
              <Icon of={IconPlus} />
              {form.title}
            </Link>
          </div>
        )}
      </div>
      <Actions actions={screen.actions} />
      <SavedViews route={screen.route} isNarrowed={isNarrowed || search.order !== undefined} />
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
      <Trouble error={shown.error} />
      {shown.data && rows.length === 0 ? (
        <Blank isNarrowed={isNarrowed} label={entity.label} onClear={() => go({ q: '', conditions: {} })} />
      ) : (
        <RowsTable
          label={screen.title}
          entity={entity}
          columns={readableFields(entity, screen.columns)}
          rows={rows}
          isLoading={!shown.data && !shown.error}
          group={screen.group}
          order={order}
          onOrder={(next: Order) => go({ order: next.text ?? undefined })}
        />
      )}
      {rows.length > 0 && (
        <div className={styles.foot}>
          <span>
            {tNodes('shownOf', {
              shown: <b>{t('count', { count: rows.length, max: countWords(total) })}</b>,
            })}
          </span>
          <Download {...{ screen, entity, query, columns }} />
          {shown.hasNextPage && (
            <button type="button" className={styles.word} onClick={() => void shown.fetchNextPage()}>
              {shown.isFetchingNextPage ? t('loadingMore') : t('showMore')}
            </button>
          )}
        </div>
      )}
    </Shell>
  );
}

/** Returns an order that keeps the rows of a group together. */
const groupedOrder = ({ group }: PortalScreen, order: string | null): string | null =>
  group === null ? order : [quoted(group), ...(order === null ? [] : [order])].join(',');

const answer = (count: number, one: string, label: string): string =>
  sentence(t('listCount', { count, one, label: inSentence(label), words: countWords(count) }));

const sentence = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1);

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
