import { IconHome, type Icon as TablerIcon } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { PortalScreens } from '../../../../contract/portal.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { Icon } from '../../../ui/icon.tsx';
import { Panel, VerdictLine } from '../../../ui/panel.tsx';
import { count } from '../../format/format.ts';
import { type PreviewCaller, rowsOfScreen } from '../../queries/preview.ts';
import styles from './pictures.module.css';
import { besidesMenu, HOME, type Shown } from './screen-groups.ts';
import { screenIcon } from './screen-icons.ts';

/** Panel with the menu that one kind of member gets, in its order, and with the screens that are not in it. */
export function MenuPanel({
  appRef,
  caller,
  one,
  all,
  role,
  onClose,
}: {
  appRef: string;
  caller: PreviewCaller;
  /** The kind of member with an article. */
  one: string;
  all: PortalScreens;
  /** The role whose menu it is, as ninefold.define_menu names it. */
  role: string;
  onClose?: () => void;
}) {
  const others = besidesMenu(all);
  const screens: readonly Shown[] = [...all.screens, ...all.pages];
  const home = screens.find(({ route }) => route === all.home);
  // A visitor without a screen must sign in first.
  const isClosed = caller === 'anon' && screens.length === 0;
  return (
    <Panel
      label={`Menu of ${one}`}
      title={`Menu of ${one}`}
      tools={!isClosed && <EditLink {...{ appRef, one, role }} />}
      {...(onClose && { onClose })}
    >
      <VerdictLine>
        {isClosed
          ? `There is no menu for ${one}, only the page to sign in.`
          : `This is what the menu of ${one} shows, in this order. On a phone, the screens that do not fit are below “More”.`}
      </VerdictLine>
      <ul className={styles.menu}>
        {!home && !isClosed && <Line icon={IconHome} path={HOME} title="Home" aside="home" />}
        {all.navigation.map(({ title, routes }) => (
          <li key={`${title} ${routes[0]}`}>
            {title !== null && <p className={styles.menuGroup}>{title}</p>}
            <ul>
              {routes.flatMap((route) => {
                const screen = screens.find((each) => each.route === route);
                if (!screen) return [];
                const aside = screen === home ? 'home' : <Rows key="rows" {...{ appRef, caller, all, screen }} />;
                return [<Line key={route} icon={screenIcon(screen)} path={route} title={screen.title} aside={aside} />];
              })}
            </ul>
          </li>
        ))}
        {others.length > 0 && (
          <li>
            <p className={styles.menuGroup}>Not in the menu</p>
            <ul>
              {others.map(({ screen, reachedFrom }) => (
                <Line
                  key={screen.route}
                  icon={screenIcon(screen)}
                  path={screen.route}
                  title={screen.title}
                  aside={reachedFrom}
                  isOff
                />
              ))}
            </ul>
          </li>
        )}
      </ul>
    </Panel>
  );
}

/** A screen, as a link to its large preview. */
const EditLink = ({ appRef, one, role }: { appRef: string; one: string; role: string }) => (
  <Link
    className={buttonClass({ kind: 'quiet', small: true })}
    to="/app/$ref/screens"
    params={{ ref: appRef }}
    search={{ menu: role }}
    aria-label={`Edit the menu of ${one}`}
  >
    Edit
  </Link>
);

function Line({
  icon,
  path,
  title,
  aside,
  isOff = false,
}: {
  icon: TablerIcon;
  path: string;
  title: string;
  aside: ReactNode;
  isOff?: boolean;
}) {
  return (
    <li className={classNames(styles.line, isOff && styles.off)}>
      <Icon of={icon} />
      <Link className="cut" to="." search={(kept) => ({ ...kept, open: path })}>
        {title}
      </Link>
      <span className={styles.aside}>{aside}</span>
    </li>
  );
}

/** The number of rows of a list that the caller reads. */
function Rows({
  appRef,
  caller,
  all,
  screen,
}: {
  appRef: string;
  caller: PreviewCaller;
  all: PortalScreens;
  screen: Shown;
}) {
  const list = 'kind' in screen && screen.kind === 'list' ? screen : undefined;
  const entity = all.entities.find((one) => one.id === list?.entity);
  const { data } = useQuery(rowsOfScreen(appRef, caller, entity, list?.filter ?? null));
  return data == null ? null : count(data);
}
