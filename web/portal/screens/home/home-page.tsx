import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, Navigate } from '@tanstack/react-router';
import type { PortalScreen } from '../../../../contract/portal.ts';
import { t } from '../../../language/messages.ts';
import { usePortal } from '../../queries/client.ts';
import { followed } from '../../queries/live.ts';
import { list } from '../../queries/row-pages.ts';
import { entityIn, formFor, openedEntity, readableFields, shownScreens, useScreens } from '../../queries/screens.ts';
import { RowsTable } from '../rows/rows-table.tsx';
import styles from '../shared/page.module.css';
import { useCaller } from '../shell/gate.tsx';
import { ScreenCount } from '../shell/screen-count.tsx';
import { memberName, Shell } from '../shell/shell.tsx';
import homeStyles from './home-page.module.css';

/** Number of rows of the first list that the home page shows. */
const FIRST_ROWS = 5;

/** Home page: the app, the first rows of the first list, and links to the screens. */
export function HomePage() {
  const { app } = usePortal();
  const caller = useCaller();
  const all = useScreens();
  const { home } = all;
  const shown = shownScreens(all);
  const first = shown.find(({ kind }) => kind === 'list');
  const name = caller && memberName(caller.user);
  if (home !== null) return <Navigate to={home} replace />;
  return (
    <Shell title={t('home')} isFollowed={first !== undefined}>
      <div className={styles.titlebar}>
        <div>
          <h1 className={styles.title}>{name ? t('welcome', { name }) : app.name}</h1>
          <p className={styles.answer}>{app.purpose ?? (name ? t('signedInTo', { app: app.name }) : '')}</p>
        </div>
      </div>
      <div className={homeStyles.grid}>
        {first && <FirstList screen={first} />}
        <section className={styles.section}>
          <h2>{t('goTo')}</h2>
          <ul className={homeStyles.go}>
            {shown.map((screen) => (
              <li key={screen.route}>
                <Link to={screen.route}>
                  {screen.title}
                  <span className={homeStyles.dots} />
                  <ScreenCount screen={screen} showsEstimate />
                </Link>
              </li>
            ))}
            {caller && (
              <li>
                <Link to="/account">{t('account')}</Link>
              </li>
            )}
          </ul>
        </section>
      </div>
    </Shell>
  );
}

/** Shows the first rows of a list. */
function FirstList({ screen }: { screen: PortalScreen }) {
  const portal = usePortal();
  const all = useScreens();
  const entity = entityIn(all, screen.entity);
  const query = { filter: screen.filter, order: screen.order, conditions: {}, search: '' };
  const columns = screen.columns.slice(0, 5);
  const { data } = useInfiniteQuery({
    ...list(portal, all, { entity: entity as never, columns, query }),
    ...followed,
    enabled: entity !== undefined,
  });
  if (!entity) return null;
  const rows = (data?.pages[0]?.rows ?? []).slice(0, FIRST_ROWS);
  const form = formFor(all, openedEntity(all, entity));
  return (
    <section className={styles.section}>
      <h2>
        <Link to={screen.route}>{screen.title}</Link>
      </h2>
      {data && rows.length === 0 ? (
        <p className={styles.soft}>
          {t('nothingYetDot')} {form && <Link to={form.route}>{form.title}</Link>}
        </p>
      ) : (
        <RowsTable
          label={screen.title}
          entity={entity}
          columns={readableFields(entity, columns)}
          rows={rows}
          isLoading={!data}
        />
      )}
    </section>
  );
}
