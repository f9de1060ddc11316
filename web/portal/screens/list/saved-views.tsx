import { IconX } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import { t } from '../../../language/messages.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { usePortal } from '../../queries/client.ts';
import { deleteView, saveView, searchOf, sharedViews, views } from '../../queries/views.ts';
import { Trouble } from '../shared/trouble.tsx';
import { useCaller } from '../shell/gate.tsx';
import styles from './list-page.module.css';
import { SharedViews, ShareView } from './shared-views.tsx';

/**
 * Shows the views of a list that the member has saved and those that members share, and forms that save the present
 * filters and the present order as a view, and share it.
 */
export function SavedViews({ route, isNarrowed }: { route: string; isNarrowed: boolean }) {
  const portal = usePortal();
  const caller = useCaller();
  const { searchStr } = useLocation();
  const [name, setName] = useState<string | null>(null);
  const { data = [] } = useQuery(views(portal, caller?.user.id ?? null));
  const shared = useQuery(sharedViews(portal, caller?.user.id ?? null)).data;
  const saving = useMutation(saveView(portal));
  const deleting = useMutation(deleteView(portal));
  const present = searchStr.replace(/^\?/, '');
  const own = data.filter((view) => view.route === route);
  const saved = own.find(({ search }) => search === present);
  const others = shared?.views.filter((view) => view.route === route) ?? [];
  const isOthers = others.some(({ search }) => search === present);
  const isShared = others.some(({ is_own, search }) => is_own && search === present);
  if (!caller || (own.length === 0 && others.length === 0 && !isNarrowed)) return null;
  return (
    <nav className={styles.views} aria-label={t('savedViews')}>
      {own.map((view) => (
        <span key={view.name} className={styles.view}>
          <Link to="." search={searchOf(view.search)} aria-current={view.search === present ? 'page' : undefined}>
            <bdi>{view.name}</bdi>
          </Link>
          <button type="button" aria-label={t('deleteView', { name: view.name })} onClick={() => deleting.mutate(view)}>
            <Icon of={IconX} small />
          </button>
        </span>
      ))}
      {isNarrowed && !saved && !isOthers && name === null && (
        <Button small kind="quiet" onClick={() => setName('')}>
          {t('keepView')}
        </Button>
      )}
      {name !== null && (
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() === '') return;
            saving.mutate({ route, name: name.trim(), search: present }, { onSuccess: () => setName(null) });
          }}
        >
          <label>
            <span className="sr">{t('viewName')}</span>
            <input
              value={name}
              maxLength={60}
              placeholder={t('viewExample')}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
            />
          </label>
          <Button small type="submit" busy={saving.isPending && t('saving')}>
            {t('save')}
          </Button>
          <Button small onClick={() => setName(null)}>
            {t('cancel')}
          </Button>
        </form>
      )}
      {saved && shared?.roles && !isShared && <ShareView key={saved.name} view={saved} roles={shared.roles} />}
      <SharedViews views={others} present={present} isKept={saved !== undefined} />
      <Trouble error={saving.error ?? deleting.error} />
    </nav>
  );
}
