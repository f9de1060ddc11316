import { useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useRef, useState } from 'react';
import type { PortalEntity } from '../../../../contract/portal.ts';
import { t } from '../../../language/messages.ts';
import { rowName } from '../../fields/value.tsx';
import { usePortal } from '../../queries/client.ts';
import { searchedFields, searchedReferences } from '../../queries/query.ts';
import { choices } from '../../queries/rows.ts';
import { entityIn, rowPath, shownScreens, useScreens } from '../../queries/screens.ts';
import styles from '../shared/modal.module.css';
import { Modal } from '../shared/modal.tsx';

/** Maximum number of entities whose rows are searched, and maximum number of rows of each that are shown. */
const SEARCHED = 6;
const FOUND = 4;

interface Target {
  readonly path: string;
  readonly title: string;
  /** The label of the entity to which the target belongs; empty if it belongs to none. */
  readonly about: string;
  readonly search?: string;
}

/** Finds a screen by its title, and rows by their labels, and opens the chosen one. */
export function Palette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const id = useId();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const words = useDeferredValue(typed.trim());
  const targets = useTargets(words);
  const place = Math.min(chosen, targets.length - 1);
  const field = useRef<HTMLInputElement>(null);
  // The dialog gives the focus to its first button when it opens.
  useEffect(() => {
    field.current?.focus();
  }, []);
  const open = (target: Target | undefined) => {
    if (!target) return;
    onClose();
    void navigate({ to: target.path, search: (target.search === undefined ? {} : { q: target.search }) as never });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') open(targets[place]);
    if (step === undefined) return;
    event.preventDefault();
    setChosen((place + step + targets.length) % Math.max(1, targets.length));
  };
  return (
    <Modal title={t('searchOrGo')} onClose={onClose}>
      <input
        className={styles.field}
        role="combobox"
        aria-label={t('searchOrGo')}
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={place >= 0 ? `${id}-${place}` : undefined}
        autoComplete="off"
        ref={field}
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={id} aria-label={t('searchOrGo')} className={styles.options}>
        {targets.map((target, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the field opens the chosen target.
          <div
            key={`${target.path} ${target.title}`}
            id={`${id}-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === place}
            onClick={() => open(target)}
          >
            <span className="cut">{target.title}</span>
            <small>{target.about}</small>
          </div>
        ))}
      </div>
      {targets.length === 0 && <p className={styles.none}>{t('nothingFound')}</p>}
    </Modal>
  );
}

/** Returns the screens and the rows that contain the words. */
function useTargets(words: string): Target[] {
  const portal = usePortal();
  const all = useScreens();
  const contains = ({ title }: Target) => title.toLowerCase().includes(words.toLowerCase());
  const shown = all.screens.filter(({ kind }) => kind !== 'detail');
  const pages: Target[] = [
    { path: all.home ?? '/', title: t('home'), about: '' },
    ...shown.map(({ route, title, entity }) => ({ path: route, title, about: entityIn(all, entity)?.label ?? '' })),
    ...all.pages.map(({ route, title }) => ({ path: route, title, about: '' })),
    { path: '/account', title: t('account'), about: '' },
  ].filter(contains);
  const lists = words.length < 2 ? [] : searchedLists(all);
  const found = useQueries({ queries: lists.map(({ entity }) => choices(portal, all, entity.id, words)) });
  const rows = lists.flatMap(({ entity }, i) =>
    (found[i]?.data?.rows ?? []).slice(0, FOUND).flatMap((row): Target[] => {
      const path = rowPath(all, entity, row);
      const title = rowName(all, entity, row);
      return path === null ? [] : [{ path, title, about: entity.label }];
    }),
  );
  const searches = lists
    .filter(({ entity }) => searchedFields(entity).length + searchedReferences(all, entity).length > 0)
    .map(({ route, title }) => ({ path: route, title: t('searchIn', { words, title }), about: '', search: words }));
  return [...pages, ...rows.filter(contains), ...searches];
}

/** Returns the first lists of different entities whose rows have a label that can be searched. */
function searchedLists(all: ReturnType<typeof useScreens>): { entity: PortalEntity; route: string; title: string }[] {
  const found = new Map<string, { entity: PortalEntity; route: string; title: string }>();
  // The lists of the navigation are searched first.
  for (const { kind, entity: id, route, title } of [...shownScreens(all), ...all.screens]) {
    const entity = entityIn(all, id);
    const isSearched = entity?.fields.some(({ name, searchable }) => entity.title_fields.includes(name) && searchable);
    if (kind === 'list' && entity && isSearched && !entity.opens && !found.has(id))
      found.set(id, { entity, route, title });
  }
  return [...found.values()].slice(0, SEARCHED);
}
