import { IconUsers, IconX } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { PortalSharedView, PortalSharedViews, PortalView } from '../../../../contract/portal.ts';
import { t } from '../../../language/messages.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { usePortal } from '../../queries/client.ts';
import { saveView, searchOf, shareView, unshareView } from '../../queries/views.ts';
import { Trouble } from '../shared/trouble.tsx';
import styles from './list-page.module.css';

/** Shows the views of a list that members share, and keeps the present one for the member. */
export function SharedViews({
  views,
  present,
  isKept,
}: {
  views: readonly PortalSharedView[];
  /** The query string of the list's address. */
  present: string;
  /** True if the member has a view with the present filters and the present order. */
  isKept: boolean;
}) {
  const portal = usePortal();
  const removing = useMutation(unshareView(portal));
  const keeping = useMutation(saveView(portal));
  const shown = views.find(({ search }) => search === present);
  if (views.length === 0) return null;
  return (
    <>
      <span className={styles.shared}>
        <Icon of={IconUsers} small />
        {t('sharedViews')}
      </span>
      {views.map((view) => (
        <span key={view.id} className={styles.view}>
          <Link
            to="."
            search={searchOf(view.search)}
            title={t('sharedWith', { whom: whomOf(view.role) })}
            aria-current={view === shown ? 'page' : undefined}
          >
            <bdi>{view.name}</bdi>
          </Link>
          {view.is_own && (
            <button
              type="button"
              aria-label={t('stopSharing', { name: view.name })}
              onClick={() => removing.mutate(view)}
            >
              <Icon of={IconX} small />
            </button>
          )}
        </span>
      ))}
      {shown && !shown.is_own && !isKept && (
        <Button
          small
          kind="quiet"
          busy={keeping.isPending && t('saving')}
          onClick={() => keeping.mutate({ route: shown.route, name: shown.name, search: shown.search })}
        >
          {t('keepAsOwn')}
        </Button>
      )}
      <Trouble error={removing.error ?? keeping.error} />
    </>
  );
}

const whomOf = (role: string | null): string => (role === null ? t('everyoneWithList') : t('roleMembers', { role }));

/** Button, and then a form, with which the member shares a saved view. */
export function ShareView({ view, roles }: { view: PortalView; roles: NonNullable<PortalSharedViews['roles']> }) {
  const portal = usePortal();
  const [role, setRole] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  const sharing = useMutation(shareView(portal));
  if (!isOpen) {
    return (
      <Button small kind="quiet" onClick={() => setOpen(true)}>
        {t('shareView')}
      </Button>
    );
  }
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        const { route, name, search } = view;
        sharing.mutate({ route, name, search, role }, { onSuccess: () => setOpen(false) });
      }}
    >
      <label className={styles.with}>
        {t('shareWith')}
        <select value={role ?? ''} onChange={({ currentTarget }) => setRole(currentTarget.value || null)}>
          <option value="">{whomOf(null)}</option>
          {roles.map(({ name, label }) => (
            <option key={name} value={name}>
              {whomOf(label)}
            </option>
          ))}
        </select>
      </label>
      <Button small type="submit" busy={sharing.isPending && t('sharing')}>
        {t('share')}
      </Button>
      <Button small onClick={() => setOpen(false)}>
        {t('cancel')}
      </Button>
      <Trouble error={sharing.error} />
    </form>
  );
}
