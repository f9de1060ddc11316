import { NativeSelect } from '@mantine/core';
import { Link, type LinkProps, useBlocker, useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import type { Binding } from '../../../ui/shortcuts/bindings.ts';
import { isMac, useKeys } from '../../../ui/shortcuts/keyboard.tsx';
import { phoneOnlyClass, SideGroup, SideList, sideItemClass } from '../../../ui/workbench.tsx';
import { counted } from '../../format/format.ts';
import type { Crumb } from '../../layout/page.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import type { Draft } from './draft.ts';
import { settingLabel } from './setting-words.ts';
import styles from './settings.module.css';

interface Place {
  name: string;
  to: NonNullable<LinkProps['to']>;
  /** The section of the page. */
  hash?: string;
  search?: Readonly<Record<string, string>>;
}

/** The pages and sections of the settings. A page without a section is first in its group. */
const groups: readonly (readonly [title: string, places: readonly Place[]])[] = [
  [
    'App',
    [
      { name: 'General', to: '/app/$ref/settings' },
      { name: 'Look', to: '/app/$ref/settings', hash: 'look' },
      { name: 'Addresses', to: '/app/$ref/settings', hash: 'addresses' },
      { name: 'Site', to: '/app/$ref/settings', hash: 'site' },
      { name: 'Data API', to: '/app/$ref/settings', hash: 'data-api' },
      { name: 'Records', to: '/app/$ref/settings', hash: 'records' },
      { name: 'Keys', to: '/app/$ref/settings', hash: 'keys-at-a-glance' },
      { name: 'API keys', to: '/app/$ref/api-keys' },
      { name: 'Signing keys', to: '/app/$ref/keys' },
      { name: 'Limits', to: '/app/$ref/settings', hash: 'limits-at-a-glance' },
      { name: 'Danger zone', to: '/app/$ref/settings', hash: 'danger-zone' },
    ],
  ],
  [
    'Members',
    [
      { name: 'Sign-in methods', to: '/app/$ref/sign-in-methods' },
      { name: 'Accounts', to: '/app/$ref/sign-in-methods', hash: 'accounts' },
      { name: 'Passwords', to: '/app/$ref/sign-in-methods', hash: 'passwords' },
      { name: 'Second factor', to: '/app/$ref/sign-in-methods', hash: 'second-factor' },
      { name: 'Session rules', to: '/app/$ref/sign-in-methods', hash: 'session-rules' },
      { name: 'Hooks', to: '/app/$ref/sign-in-methods', hash: 'hooks' },
      { name: 'Other applications', to: '/app/$ref/sign-in-methods', hash: 'applications' },
      { name: 'Applications', to: '/app/$ref/applications' },
      { name: 'Notices', to: '/app/$ref/sign-in-methods', hash: 'notices' },
      { name: 'Mail server', to: '/app/$ref/mail', search: { view: 'server' } },
    ],
  ],
  [
    'Builders',
    [
      { name: 'Team', to: '/app/$ref/team' },
      { name: 'Audit log', to: '/app/$ref/audit', search: { kind: 'builders' } },
    ],
  ],
];

/** Returns the breadcrumbs of a page of the settings. */
export const settingsCrumbs = (appRef: string, text: string): readonly Crumb[] => [
  { text: 'Settings', link: { to: '/app/$ref/settings', params: { ref: appRef } } },
  { text },
];

const places = groups.flatMap(([, all]) => all);

/**
 * Layout of the settings: the list of all pages and sections at the left, one page at the right. Scrolls to the section
 * in the address.
 */
export function SettingsFrame({
  appRef,
  ready = true,
  children,
}: {
  appRef: string;
  /** True after the sections are drawn. */
  ready?: boolean;
  children: ReactNode;
}) {
  const { hash, pathname } = useLocation();
  const navigate = useNavigate();
  useEffect(() => {
    if (ready && hash !== '') document.getElementById(hash)?.scrollIntoView();
  }, [ready, hash]);
  const isHere = ({ to, hash: section = '' }: Place) =>
    pathname === to.replace('$ref', appRef) && (section === hash || (section === '' && !sectionExists(to, hash)));
  const here = places.findIndex(isHere);
  const go = ({ to, hash: section, search }: Place) =>
    void navigate({ to, params: { ref: appRef }, search: search ?? {}, hash: section ?? '' } as LinkProps);
  return (
    <div className={styles.frame}>
      <SideList label="Settings">
        {groups.map(([title, all]) => (
          <SideGroup key={title} title={title}>
            {all.map((place) => (
              <Link
                key={place.name}
                {...({ to: place.to, params: { ref: appRef }, search: place.search ?? {} } as LinkProps)}
                {...(place.hash !== undefined && { hash: place.hash })}
                className={sideItemClass}
                activeOptions={{ includeHash: true, includeSearch: false }}
              >
                {place.name}
              </Link>
            ))}
          </SideGroup>
        ))}
      </SideList>
      <div className={styles.content}>
        <div className={`${phoneOnlyClass} ${styles.choose}`}>
          <NativeSelect
            aria-label="Part of the settings"
            data={groups.map(([group, all]) => ({
              group,
              items: all.map((place) => ({ value: String(places.indexOf(place)), label: place.name })),
            }))}
            value={String(here)}
            onChange={({ currentTarget }) => {
              const place = places[Number(currentTarget.value)];
              if (place) go(place);
            }}
          />
        </div>
        {children}
      </div>
    </div>
  );
}

const sectionExists = (to: string, hash: string): boolean =>
  places.some((place) => place.to === to && place.hash === hash);

/** Page of settings: name, one sentence, sections, and the bar of unsaved changes. */
export function SettingsPageBody({
  title,
  sentence,
  draft,
  children,
}: {
  title: string;
  sentence: ReactNode;
  draft: Draft | null;
  children: ReactNode;
}) {
  return (
    <div className={styles.page}>
      <div className={styles.scroll}>
        <div className={styles.inner}>
          <h1 className={styles.title}>{title}</h1>
          <p className={styles.sentence}>{sentence}</p>
          {children}
        </div>
      </div>
      {draft && <ChangesBar draft={draft} />}
    </div>
  );
}

/** Section with its heading. `id` is its fragment in the address. */
export function SettingsSection({
  id,
  title,
  aside,
  tools,
  isDanger = false,
  children,
}: {
  id: string;
  title: string;
  aside?: ReactNode;
  tools?: ReactNode;
  isDanger?: boolean;
  children: ReactNode;
}) {
  return (
    <section id={id} className={styles.section} aria-labelledby={`${id}-title`}>
      <div className={styles.head}>
        <h2 id={`${id}-title`} className={isDanger ? styles.danger : undefined}>
          {title}
        </h2>
        <span>{aside}</span>
        {tools !== undefined && <span className={styles.tools}>{tools}</span>}
      </div>
      {children}
    </section>
  );
}

/** Binds Ctrl Enter to `save` while there are unsaved changes. */
function useSaveKey(canSave: boolean, save: () => void): readonly Binding[] {
  const latest = useRef(save);
  useEffect(() => {
    latest.current = save;
  });
  return useMemo(
    () =>
      canSave
        ? [{ keys: 'mod+enter', group: 'Settings', does: 'Save', run: () => latest.current(), inFields: true }]
        : [],
    [canSave],
  );
}

/** Bar that saves or discards the unsaved changes. */
function ChangesBar({ draft }: { draft: Draft }) {
  const { changes } = draft;
  const wrong = [...changes.values()].filter((change) => change.wrong !== null).length;
  const offBecause = wrong > 0 ? 'A value is not valid.' : null;
  const isOpen = changes.size > 0;
  useKeys(useSaveKey(isOpen && offBecause === null, draft.save));
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => isOpen && current.pathname !== next.pathname,
    enableBeforeUnload: isOpen,
    withResolver: true,
  });
  if (!isOpen) return null;
  return (
    <>
      <section className={styles.bar} aria-label="Changes">
        <p className={styles.what}>
          <b>{counted(changes.size, 'change')}, not saved.</b>{' '}
          {wrong > 0 ? (
            <span className={styles.wrong}>{counted(wrong, 'value')} not valid.</span>
          ) : (
            [...changes.keys()].map(settingLabel).join(', ')
          )}
        </p>
        {draft.error && <FailureNote facts={failureFacts(draft.error)} />}
        <div className={styles.buttons}>
          <Button kind="quiet" onClick={draft.discard}>
            Discard
          </Button>
          <Button
            kind="first"
            busy={draft.isSaving && 'Saving'}
            offBecause={offBecause}
            title={isMac ? '⌘ Enter' : 'Ctrl Enter'}
            onClick={draft.save}
          >
            Save
          </Button>
        </div>
      </section>
      {leaving.status === 'blocked' && (
        <Dialog title="Leave without saving?" onClose={leaving.reset}>
          <p>{counted(changes.size, 'change')} will be lost.</p>
          <div className={`${styles.buttons} ${styles.answers}`}>
            <Button kind="danger" onClick={leaving.proceed}>
              Leave
            </Button>
            <Button kind="quiet" data-autofocus onClick={leaving.reset}>
              Stay
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
