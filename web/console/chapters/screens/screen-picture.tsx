import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Page, Screen } from '../../../../contract/description.ts';
import type { PortalScreen, PortalScreens } from '../../../../contract/portal.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { VerdictMark } from '../../../ui/verdict.tsx';
import { counted, shortId } from '../../format/format.ts';
import { connection } from '../../queries/apps.ts';
import { type PreviewCaller, rowsOfScreen } from '../../queries/preview.ts';
import styles from './pictures.module.css';
import { ScreenPreview } from './preview/screen-preview.tsx';
import { addressIn, HOME, screenGroups } from './screen-groups.ts';
import type { CallerChoice } from './use-caller-choice.ts';

/** Pictures of the screens of one caller, in groups; then the broken screens, which nobody sees. */
export function Pictures({
  appRef,
  all,
  choice,
  broken,
}: {
  appRef: string;
  all: PortalScreens;
  choice: CallerChoice;
  broken: readonly (Screen | Page)[];
}) {
  const { caller, kind } = choice;
  if (caller === undefined) return null;
  return (
    <>
      {screenGroups(all).map(({ title, about, screens }, place) => (
        <section key={title} className={styles.group} aria-label={title}>
          <h2 className={styles.heading}>
            {title} <span>{about}</span>
          </h2>
          <ul className={styles.pictures}>
            {place === 0 && all.home === null && (
              <Picture
                appRef={appRef}
                caller={caller}
                choice={choice}
                path={HOME}
                title="Home"
                kind={`home of ${kind.one}`}
              />
            )}
            {screens.map((screen) => (
              <Picture
                key={screen.route}
                {...{ appRef, caller, choice }}
                path={screen.route}
                title={screen.title}
                kind={
                  'kind' in screen ? (
                    <Kind appRef={appRef} caller={caller} all={all} screen={screen} />
                  ) : (
                    `page of ${counted(screen.parts.length, 'part')}`
                  )
                }
              />
            ))}
          </ul>
        </section>
      ))}
      {broken.length > 0 && <Broken appRef={appRef} screens={broken} />}
    </>
  );
}

function Picture({
  appRef,
  caller,
  choice: { kind: memberKind, member },
  path,
  title,
  kind,
}: {
  appRef: string;
  caller: PreviewCaller;
  choice: CallerChoice;
  path: string;
  title: string;
  kind: React.ReactNode;
}) {
  const { data } = useQuery(connection(appRef));
  const isAddress = !path.includes('/:');
  return (
    <li className={styles.picture}>
      <div className={styles.glass}>
        <ScreenPreview appRef={appRef} caller={caller} path={path} title={title} device="desktop" isPicture />
        <Link
          className={styles.cover}
          to="/app/$ref/screens"
          params={{ ref: appRef }}
          search={{ open: path, as: memberKind.id, ...(member && { member: member.id }) }}
          aria-label={`Open ${title} large`}
        />
      </div>
      <div className={styles.caption}>
        <b className="cut">{title}</b>
        <code className="cut">{path}</code>
      </div>
      <div className={styles.sub}>
        <span className="cut">{kind}</span>
        <span className={styles.links}>
          {path !== HOME && (
            <Link
              className={buttonClass({ kind: 'quiet', small: true })}
              to="/app/$ref/screens"
              params={{ ref: appRef }}
              search={{ edit: path, as: memberKind.id, ...(member && { member: member.id }) }}
              aria-label={`Edit ${title}`}
            >
              Edit
            </Link>
          )}
          {isAddress && data?.origin != null && (
            <a
              className={buttonClass({ kind: 'quiet', small: true })}
              href={addressIn(data.origin, path)}
              target="_blank"
              rel="noreferrer"
              aria-label={`Open ${title} in the app`}
            >
              Open
            </a>
          )}
        </span>
      </div>
    </li>
  );
}

const kinds: Readonly<Record<PortalScreen['kind'], string>> = {
  list: 'list',
  detail: 'detail',
  form: 'form',
  board: 'board by state',
  calendar: 'calendar',
  gallery: 'gallery',
  figures: 'figures',
};

/** Names the kind of a screen; for a list, with the number of rows that the caller reads. */
function Kind({
  appRef,
  caller,
  all,
  screen: { kind, entity: id, filter },
}: {
  appRef: string;
  caller: PreviewCaller;
  all: PortalScreens;
  screen: PortalScreen;
}) {
  const entity = kind === 'list' ? all.entities.find((one) => one.id === id) : undefined;
  const { data } = useQuery(rowsOfScreen(appRef, caller, entity, filter));
  return data == null ? kinds[kind] : `list, ${counted(data, 'row')}`;
}

/** Screens that cannot be shown to anybody, each with the reason. */
function Broken({ appRef, screens }: { appRef: string; screens: readonly (Screen | Page)[] }) {
  return (
    <section className={styles.group} id="broken" aria-label="Broken">
      <h2 className={styles.heading}>
        Broken <span>not shown, or without a part</span>
      </h2>
      <ul className={styles.pictures}>
        {screens.map((screen) => (
          <li key={screen.route} className={styles.picture}>
            <div className={styles.none}>
              <VerdictMark of="disagrees" />
              <span>{screen.broken.join(' ')}</span>
            </div>
            <div className={styles.caption}>
              <b className="cut">{screen.title}</b>
              <code className="cut">{screen.route}</code>
            </div>
            <div className={styles.sub}>
              <span className="cut">{'kind' in screen ? `${screen.kind} of ${shortId(screen.entity)}` : 'page'}</span>
              <Link
                className={buttonClass({ kind: 'quiet', small: true })}
                to="/app/$ref/screens"
                params={{ ref: appRef }}
                search={{ view: 'list', screen: screen.route }}
                aria-label={`Why ${screen.title} is broken`}
              >
                Details
              </Link>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
