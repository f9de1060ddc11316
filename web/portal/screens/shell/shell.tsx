import { useMantineColorScheme } from '@mantine/core';
import {
  IconArrowLeft,
  IconBell,
  IconBookmark,
  IconCalendar,
  IconChartBar,
  IconChartHistogram,
  IconChevronRight,
  IconDots,
  IconFileText,
  IconHome,
  IconLayoutKanban,
  IconListDetails,
  IconPencil,
  IconPhoto,
  IconPlugConnectedX,
  IconPlus,
  IconUsers,
  type Icon as TablerIcon,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import type { PortalPage, PortalScreen, PortalScreens, PortalView } from '../../../../contract/portal.ts';
import { initials, memberName } from '../../../fields/format.ts';
import { t } from '../../../language/messages.ts';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { Icon } from '../../../ui/icon.tsx';
import { code } from '../../../ui/recovery/code.ts';
import { KeyboardProvider } from '../../../ui/shortcuts/keyboard.tsx';
import { usePortal } from '../../queries/client.ts';
import { useLostConnection } from '../../queries/connection.ts';
import { recordVisit } from '../../queries/last-visit.ts';
import { useIsLive } from '../../queries/live.ts';
import { placeAt, shownLists, shownScreens, useScreens } from '../../queries/screens.ts';
import { reconnect } from '../../queries/session.ts';
import { searchOf, sharedViews, views } from '../../queries/views.ts';
import { AppMark } from '../../sign-in/auth-layout.tsx';
import choiceStyles from './choice.module.css';
import { useCaller } from './gate.tsx';
import { LanguageChoice } from './language-choice.tsx';
import { ScreenCount } from './screen-count.tsx';
import styles from './shell.module.css';
import { ShellKeys } from './shell-keys.tsx';
import { useIsQuiet } from './use-is-quiet.ts';
import { useNewForm } from './use-new-form.ts';

// The code of the bell must not delay the rows of the first screen.
const Bell = lazy(code(() => import('./bell.tsx').then((all) => ({ default: all.Bell }))));

const icons: Readonly<Record<PortalScreen['kind'], TablerIcon>> = {
  list: IconListDetails,
  detail: IconListDetails,
  board: IconLayoutKanban,
  form: IconPencil,
  calendar: IconCalendar,
  gallery: IconPhoto,
  figures: IconChartBar,
};

const iconOfPage = ({ parts }: PortalPage): TablerIcon =>
  parts.some(({ kind }) => kind === 'number' || kind === 'bars' || kind === 'line') ? IconChartHistogram : IconFileText;

/** Returns title and icon of the screen or the page with a route; null if the caller may open neither. */
function entryOf({ screens, pages }: PortalScreens, route: string) {
  const screen = screens.find((one) => one.route === route);
  if (screen) return { title: screen.title, icon: icons[screen.kind], screen };
  const page = pages.find((one) => one.route === route);
  return page ? { title: page.title, icon: iconOfPage(page), screen: null } : null;
}

/** Options of links, so that a link counts as current only at its exact address, and not at addresses below it. */
const exact = { exact: true, includeSearch: false } as const;

/**
 * Layout of a page: the navigation, the header with breadcrumbs, and the page itself. The navigation is at the side, or
 * along the lower edge of a phone.
 */
export function Shell({
  title,
  crumbs = [],
  back,
  panel,
  hidesBar = false,
  isFollowed = false,
  children,
}: {
  title: string;
  /** Breadcrumbs that precede the title in the header. */
  crumbs?: readonly { readonly title: string; readonly to: string }[];
  /** Address to which the back arrow on a phone leads. */
  back?: string;
  /** Panel at the right of the page. On a phone, it is below the page. */
  panel?: ReactNode;
  /** True for a form. On a phone, a form has its own bar at the lower edge, so the navigation is hidden. */
  hidesBar?: boolean;
  /** True for a page whose rows are read again and again, so that changes of others appear on it. */
  isFollowed?: boolean;
  children: ReactNode;
}) {
  const { app } = usePortal();
  const all = useScreens();
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  useVisit(pathname);
  useTitle(`${title} · ${app.name}`);
  useEffect(() => {
    if (pathname) main.current?.focus({ preventScroll: true });
  }, [pathname]);
  return (
    <KeyboardProvider>
      <div className={classNames(styles.app, hidesBar && styles.barless)}>
        <Rail />
        <div className={styles.main}>
          <header className={styles.head}>
            {back !== undefined ? (
              <Link to={back} className={styles.back} aria-label={t('back')}>
                <Icon of={IconArrowLeft} />
              </Link>
            ) : (
              <span className={styles.phoneMark}>
                <AppMark name={app.name} />
              </span>
            )}
            <nav className={styles.crumbs} aria-label={t('wayHere')}>
              {crumbs.map((crumb) => (
                <span key={crumb.to} className={styles.crumb}>
                  <Link to={crumb.to}>{crumb.title}</Link>
                  <span aria-hidden="true">/</span>
                </span>
              ))}
              <b className="cut" aria-current="page">
                {title}
              </b>
            </nav>
            <span className={styles.tools}>
              {isFollowed && <Live />}
              <ShellKeys place={placeAt(all, pathname)} />
              {app.notifies && <BellPlace />}
            </span>
          </header>
          <ConnectionBand />
          <div className={classNames(styles.body, panel !== undefined && styles.withPanel)}>
            <main className={styles.page} ref={main} tabIndex={-1}>
              <div className={styles.wrap}>{children}</div>
            </main>
            {panel !== undefined && (
              <aside className={styles.panel} aria-label={t('inShort', { title })}>
                {panel}
              </aside>
            )}
          </div>
        </div>
        {!hidesBar && <TabBar />}
      </div>
    </KeyboardProvider>
  );
}

/** Link to the notifications of the member. Their number follows when the page has its rows. */
function BellPlace() {
  const caller = useCaller();
  const isQuiet = useIsQuiet();
  if (!caller) return null;
  const plain = (
    <Link to="/account/notifications" className={styles.bell} aria-label={t('notifications')}>
      <Icon of={IconBell} />
    </Link>
  );
  return <Suspense fallback={plain}>{isQuiet ? <Bell userId={caller.user.id} /> : plain}</Suspense>;
}

/** Says whether changes of others appear on the page by themselves. */
function Live() {
  const isLive = useIsLive();
  return (
    <span className={styles.live} data-live={isLive || undefined} title={t(isLive ? 'liveAbout' : 'notLiveAbout')}>
      {t(isLive ? 'live' : 'notLive')}
    </span>
  );
}

/** Says that the app cannot be reached. The pages try again by themselves. */
function ConnectionBand() {
  const isLost = useLostConnection();
  return (
    <div role="status">
      {isLost && (
        <p className={styles.band}>
          <Icon of={IconPlugConnectedX} />
          <span>{t('lostConnection')}</span>
          <Button small onClick={reconnect}>
            {t('lostRetry')}
          </Button>
        </p>
      )}
    </div>
  );
}

function Rail() {
  const { app } = usePortal();
  return (
    <aside className={styles.rail} aria-label={app.name}>
      <Link to="/" className={styles.brand}>
        <AppMark name={app.name} />
        {app.name}
      </Link>
      <nav className={styles.nav} aria-label={t('screens')}>
        <Screens />
      </nav>
      <Me />
    </aside>
  );
}

/** Links to Home and every screen of the navigation. */
function Screens({ onOpen }: { onOpen?: () => void }) {
  const all = useScreens();
  const { navigation, home } = all;
  return (
    <>
      <NavLink to={home ?? '/'} title={t('home')} icon={IconHome} onOpen={onOpen} />
      {navigation.map(({ title, routes }) => (
        <div key={title ?? ''}>
          {title !== null && <h2>{title}</h2>}
          {routes.map((route) => {
            const entry = route === home ? null : entryOf(all, route);
            return (
              entry && (
                <NavLink key={route} to={route} title={entry.title} icon={entry.icon} onOpen={onOpen}>
                  {entry.screen && <ScreenCount screen={entry.screen} />}
                </NavLink>
              )
            );
          })}
        </div>
      ))}
      <Views onOpen={onOpen} />
    </>
  );
}

/** Max number of saved views whose rows are counted. Those of shared views are not, because each would cost every member a request. */
const COUNTED_VIEWS = 8;

/** Links to the views that the member has saved, and to those that other members share. */
function Views({ onOpen }: { onOpen: (() => void) | undefined }) {
  const portal = usePortal();
  const id = useCaller()?.user.id ?? null;
  const { data: own = [] } = useQuery(views(portal, id));
  const shared = useQuery(sharedViews(portal, id)).data?.views.filter(({ is_own }) => !is_own) ?? [];
  return (
    <>
      <ViewLinks title={t('myViews')} views={own} icon={IconBookmark} counted={COUNTED_VIEWS} onOpen={onOpen} />
      <ViewLinks title={t('sharedViews')} views={shared} icon={IconUsers} counted={0} onOpen={onOpen} />
    </>
  );
}

/** Group of links to views. Leaves out views of lists that the member may no longer open. */
function ViewLinks({
  title,
  views: all,
  icon,
  counted,
  onOpen,
}: {
  title: string;
  views: readonly PortalView[];
  icon: TablerIcon;
  /** The number of views whose rows are counted. */
  counted: number;
  onOpen: (() => void) | undefined;
}) {
  const { screens } = useScreens();
  const shown = all.flatMap((view) => {
    const screen = screens.find(({ route }) => route === view.route);
    return screen ? [{ ...view, screen }] : [];
  });
  if (shown.length === 0) return null;
  return (
    <div>
      <h2>{title}</h2>
      {shown.map(({ route, name, search, screen }, i) => (
        <NavLink
          key={`${route} ${name} ${search}`}
          to={route}
          search={searchOf(search)}
          title={name}
          icon={icon}
          onOpen={onOpen}
        >
          {i < counted && <ScreenCount screen={screen} view={searchOf(search)} />}
        </NavLink>
      ))}
    </div>
  );
}

function NavLink({
  to,
  search,
  title,
  icon,
  onOpen,
  children,
}: {
  to: string;
  /** The search parameters of a saved view. */
  search?: never;
  title: string;
  icon: TablerIcon;
  onOpen?: (() => void) | undefined;
  /** The number of rows, after the title. */
  children?: ReactNode;
}) {
  return (
    <Link
      to={to}
      {...(search !== undefined && { search })}
      activeOptions={search === undefined ? exact : { exact: true }}
      onClick={onOpen}
    >
      <Icon of={icon} />
      <span className="cut">{title}</span>
      {children}
    </Link>
  );
}

/** Links a member to their account, and a visitor to the sign-in page. */
function Me() {
  const caller = useCaller();
  const { roles } = useScreens();
  const { pathname } = useLocation();
  if (!caller) {
    return (
      <Link to="/account/sign-in" search={pathname === '/' ? {} : { next: pathname }} className={styles.me}>
        <span>{t('signIn')}</span>
        <Icon of={IconChevronRight} />
      </Link>
    );
  }
  const name = memberName(caller.user);
  return (
    <Link to="/account" className={styles.me}>
      <span className={styles.face} aria-hidden="true">
        {initials(name)}
      </span>
      <span className="cut">
        {name}
        <small>{roles.length > 0 ? roles.join(', ') : t('account')}</small>
      </span>
      <Icon of={IconChevronRight} />
    </Link>
  );
}

/** Bar along the lower edge of a phone: Home, the first list, New, the board or the second list, and More. */
function TabBar() {
  const all = useScreens();
  const [isOpen, setIsOpen] = useState(false);
  const [first, ...others] = shownLists(all);
  const second = shownScreens(all).find(({ kind }) => kind === 'board') ?? others[0];
  const form = useNewForm();
  return (
    <>
      {isOpen && <MoreSheet onClose={() => setIsOpen(false)} />}
      <nav className={styles.tabs} aria-label={t('mainScreens')}>
        <Tab to={all.home ?? '/'} title={t('home')} icon={IconHome} />
        {first && <Tab to={first.route} title={first.title} icon={icons[first.kind]} />}
        {form && <Tab to={form.route} title={t('new')} icon={IconPlus} isPlus />}
        {second && <Tab to={second.route} title={second.title} icon={icons[second.kind]} />}
        <button type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          <Icon of={IconDots} />
          <span>{t('more')}</span>
        </button>
      </nav>
    </>
  );
}

function Tab({ to, title, icon, isPlus = false }: { to: string; title: string; icon: TablerIcon; isPlus?: boolean }) {
  return (
    <Link to={to} activeOptions={exact} className={classNames(isPlus && styles.plus)}>
      <Icon of={icon} />
      <span className="cut">{title}</span>
    </Link>
  );
}

/** Sheet on a phone with links to all screens and to the account. */
function MoreSheet({ onClose }: { onClose: () => void }) {
  const caller = useCaller();
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') onClose();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [onClose]);
  return (
    <div className={styles.sheet} role="dialog" aria-label={t('allScreens')}>
      <nav className={styles.nav} aria-label={t('allScreens')}>
        <Screens onOpen={onClose} />
      </nav>
      <ThemeChoice />
      <LanguageChoice isMember={caller !== null} />
      <Me />
    </div>
  );
}

/** Chooses the light or the dark theme on this device. */
export function ThemeChoice() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <label className={choiceStyles.choice}>
      <span>{t('theme')}</span>
      <select
        value={colorScheme}
        onChange={({ currentTarget }) => setColorScheme(currentTarget.value as typeof colorScheme)}
      >
        <option value="auto">{t('asDevice')}</option>
        <option value="light">{t('light')}</option>
        <option value="dark">{t('dark')}</option>
      </select>
    </label>
  );
}

/** Records that the member uses the pages, whenever the address changes. */
function useVisit(pathname: string): void {
  const callerId = useCaller()?.user.id;
  useEffect(() => {
    if (callerId !== undefined && pathname) recordVisit(callerId);
  }, [callerId, pathname]);
}

/** Names the tab of the browser. */
function useTitle(title: string): void {
  useEffect(() => {
    document.title = title;
  }, [title]);
}
