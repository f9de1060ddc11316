import { Link } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { PortalField } from '../../../../contract/portal.ts';
import { StoredPicture } from '../../../files/file-tile.tsx';
import { t } from '../../../language/messages.ts';
import { FieldValue, rowName } from '../../fields/value.tsx';
import { pathsOf } from '../../queries/files.ts';
import { PAGE_ROWS } from '../../queries/query.ts';
import type { Row } from '../../queries/rest.ts';
import { fieldIn, type Place, readableFields, rowPath, useScreens } from '../../queries/screens.ts';
import { RowsScreen, type ScreenRows } from '../list/rows-screen.tsx';
import { rowKey } from '../rows/row-line.tsx';
import { RowActionButtons, type RowActions } from '../shared/actions.tsx';
import styles from './gallery-page.module.css';

/** Number of fields below the title of a card. */
const FIELDS = 2;

/** Distance in px from the last card at which the next page is read. */
const AHEAD = 600;

/** The rows of a screen as cards with their pictures. */
export function GalleryPage({ screen, entity }: Place) {
  return (
    <RowsScreen screen={screen} entity={entity} canSelectRows={false}>
      {(rows) => <Cards screen={screen} entity={entity} rows={rows} />}
    </RowsScreen>
  );
}

function Cards({
  screen,
  entity,
  rows: { list, query, rowActions, onVisible },
}: Pick<Place, 'screen' | 'entity'> & { rows: ScreenRows }) {
  // A changed query begins with its first page.
  const [{ pages, of }, setPages] = useState({ pages: 1, of: query });
  const shown = of === query ? pages : 1;
  const end = useRef<HTMLDivElement>(null);
  const hasMore = shown * PAGE_ROWS < list.total;
  const readNext = useEffectEvent(() => {
    setPages({ pages: shown + 1, of: query });
    onVisible(0, shown);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: After each page, the end is observed again.
  useEffect(() => {
    const { current } = end;
    if (!current || !hasMore) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && readNext(), {
      rootMargin: `${AHEAD}px`,
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, [hasMore, shown]);
  const count = Math.min(list.total, shown * PAGE_ROWS);
  const fields = readableFields(entity, screen.columns)
    .filter(({ name, files }) => !files && !entity.title_fields.includes(name) && !entity.key.includes(name))
    .slice(0, FIELDS);
  const picture = screen.picture === null ? undefined : fieldIn(entity, screen.picture);
  return (
    <>
      <ul className={styles.cards} aria-label={screen.title} aria-busy={list.isLoading}>
        {list.isLoading && [1, 2, 3, 4].map((place) => <li key={place} className={styles.loading} />)}
        {Array.from({ length: count }, (_, i) => list.rowAt(i)).map((row, i) =>
          row ? (
            <li key={entity.key.length > 0 ? rowKey(entity, row) : i}>
              <Card entity={entity} row={row} picture={picture} fields={fields} actions={rowActions} />
            </li>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: A row that is not read yet has no other identity.
            <li key={i} className={styles.loading} />
          ),
        )}
      </ul>
      <div ref={end}>{hasMore && <span className="sr">{t('loading')}</span>}</div>
    </>
  );
}

/** A row with its picture, its label, two of its fields, and the functions that take it. */
function Card({
  entity,
  row,
  picture,
  fields,
  actions,
}: Pick<Place, 'entity'> & {
  row: Row;
  picture: PortalField | undefined;
  fields: readonly PortalField[];
  actions: RowActions | null;
}) {
  const all = useScreens();
  const path = rowPath(all, entity, row);
  const [file] = picture ? pathsOf(row[picture.name]) : [];
  const name = rowName(all, entity, row);
  return (
    <article className={styles.card}>
      <span className={styles.picture} aria-hidden="true">
        {picture?.files && file !== undefined ? (
          <StoredPicture bucket={picture.files.bucket} path={file} />
        ) : (
          <span className={styles.letter}>{[...name][0]?.toUpperCase()}</span>
        )}
      </span>
      <h2>{path === null ? <bdi>{name}</bdi> : <Link to={path}>{<bdi>{name}</bdi>}</Link>}</h2>
      {fields.map((field) => (
        <p key={field.name} className="cut">
          <FieldValue entity={entity} field={field} row={row} isShort />
        </p>
      ))}
      {actions && (
        <div className={styles.actions}>
          <RowActionButtons {...actions} row={row} name={name} />
        </div>
      )}
    </article>
  );
}
