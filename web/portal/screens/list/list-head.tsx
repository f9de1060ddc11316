import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import type { PortalEntity, PortalField, PortalScreen, PortalValue } from '../../../../contract/portal.ts';
import { countWords } from '../../../fields/format.ts';
import { inSentence, listParts, numberText, t } from '../../../language/messages.ts';
import { usePortal } from '../../queries/client.ts';
import { followedSeldom } from '../../queries/live.ts';
import type { ListQuery } from '../../queries/query.ts';
import { count } from '../../queries/rows.ts';
import { formFor, readableFields, useScreens } from '../../queries/screens.ts';
import { NewLink } from '../shared/new-link.tsx';
import styles from '../shared/page.module.css';
import { isLeftOut } from './list-search.ts';
import type { RowWindow } from './use-row-window.ts';

/** Maximum number of values of a field whose rows are counted, because each takes a request. */
const COUNTED_VALUES = 6;

/** The parts of the rows of a screen that its title needs. */
interface CountedRows {
  screen: PortalScreen;
  entity: PortalEntity;
  /** The entity whose rows the list opens. */
  target: PortalEntity;
  list: RowWindow;
  query: ListQuery;
}

interface ListHeadProps extends CountedRows {
  /** The functions of the screen as buttons. */
  buttons: ReactNode;
}

/** Title of a list, the number of its rows in words and by state, and the form for a new row. */
export function ListHead({ screen, entity, target, list, query, buttons }: ListHeadProps) {
  const form = formFor(useScreens(), target);
  const isKnown = !list.isLoading && list.error === null;
  const parts = useParts({ screen, entity, target, query }, isKnown && list.total > 1);
  const words = list.isExact ? numberText(list.total) : countWords(list.total);
  const values = { count: list.total, one: target.one, label: inSentence(target.label), words };
  const answer = parts.length > 1 ? t('listCountOf', values) : t('listCount', values);
  return (
    <div className={styles.titlebar}>
      <div>
        <h1 className={styles.title}>{screen.title}</h1>
        <p className={styles.answer}>
          <span role="status">{isKnown ? sentence(answer) : ''}</span>
          {parts.length > 1 && <> {inList(parts)}.</>}
        </p>
      </div>
      <div className={styles.actions}>
        {form && (
          <span className={styles.inBar}>
            <NewLink form={form} isFirst={!screen.actions.some(({ row }) => row === null)} />
          </span>
        )}
        {buttons}
      </div>
    </div>
  );
}

const sentence = (words: string): string => words.slice(0, 1).toUpperCase() + words.slice(1);

/** Joins elements as a list in the language of the page: "12 new, 27 open and 7 waiting". */
const inList = (elements: readonly ReactNode[]): ReactNode =>
  listParts(elements.length).map((part, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: The parts have no identity besides their place.
    <Fragment key={i}>{typeof part === 'number' ? elements[part] : part}</Fragment>
  ));

/** Returns the field by whose values the rows of a list are counted: the state, or else the first field of the screen with a few values. */
function countedField(screen: PortalScreen, entity: PortalEntity, target: PortalEntity): PortalField | undefined {
  const fields = readableFields(entity, screen.columns);
  const state = (entity.machine ?? target.machine)?.field;
  const isShort = ({ values }: PortalField) => values !== null && values.length > 1 && values.length <= COUNTED_VALUES;
  return fields.find(({ name }) => name === state) ?? fields.find(isShort);
}

/** Returns the values of a field that the list may contain. */
function valuesOf(screen: PortalScreen, { machine }: PortalEntity, field: PortalField): readonly PortalValue[] {
  const all = machine?.field === field.name ? machine.states : (field.values ?? []);
  return all.filter(({ value }) => !isLeftOut(screen.filter, field.name, value));
}

/**
 * Counts the rows of a list by the values of a field. Returns for each value that occurs a link to the rows with this
 * value. Returns none if the member has already limited the field, or if there are too many values.
 */
function useParts({ screen, entity, target, query }: Omit<CountedRows, 'list'>, isWanted: boolean): ReactNode[] {
  const portal = usePortal();
  const all = useScreens();
  const field = countedField(screen, entity, target);
  const isLimited = field !== undefined && Object.hasOwn(query.conditions, field.name);
  const values = isWanted && field && !isLimited ? valuesOf(screen, entity, field) : [];
  const counts = useQueries({
    queries: (values.length > COUNTED_VALUES ? [] : values).map(({ value }) => {
      const conditions = { ...query.conditions, [field?.name ?? '']: `eq.${value}` };
      return { ...count(portal, all, entity, { ...query, order: null, conditions }), ...followedSeldom };
    }),
  });
  if (counts.some(({ data }) => data == null)) return [];
  return values.flatMap(({ value, label }, i) => {
    const found = counts[i]?.data ?? 0;
    return found === 0
      ? []
      : [
          <Link
            key={value}
            to="."
            search={(before: object) => ({ ...before, [`f.${field?.name}`]: `eq.${value}` }) as never}
          >
            {t('countOfValue', { words: countWords(found), label: inSentence(label) })}
          </Link>,
        ];
  });
}
