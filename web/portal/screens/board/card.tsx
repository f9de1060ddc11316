import { Link } from '@tanstack/react-router';
import type { PortalEntity, PortalField, PortalMachine, PortalTransition } from '../../../../contract/portal.ts';
import { t } from '../../../language/messages.ts';
import { classNames } from '../../../ui/class-names.ts';
import { FieldValue, rowName } from '../../fields/value.tsx';
import { useIsChanged } from '../../queries/changed-rows.ts';
import type { Row } from '../../queries/rest.ts';
import { useScreens } from '../../queries/screens.ts';
import { isMeaninglessId } from '../rows/row-line.tsx';
import { RowActionButtons, type RowActions } from '../shared/actions.tsx';
import styles from './board-page.module.css';

/** Maximum number of short fields on a card. */
const FIELDS = 3;

interface CardProps {
  entity: PortalEntity;
  machine: PortalMachine;
  columns: readonly PortalField[];
  row: Row;
  path: string | null;
  /** The transitions of the row that the member may make. */
  ways: readonly PortalTransition[];
  isPicked: boolean;
  /** True if the row was added while the member looks. */
  isNew: boolean;
  /** The functions that take a row; null if there are none. */
  actions: RowActions | null;
  onPick: () => void;
  onPutBack: () => void;
  onMove: (state: string) => void;
  onKey: (event: React.KeyboardEvent<HTMLElement>) => void;
  /** Called with the element of the card when it is added to the page. */
  onDrawn: (card: HTMLElement) => void;
}

/**
 * Card of a row on a board. It can get the focus, so that the member can pick it up with Space. Its menu moves it
 * without dragging and without keys.
 */
export function Card({
  entity,
  machine,
  columns,
  row,
  path,
  ways,
  isPicked,
  isNew,
  actions,
  onPick,
  onPutBack,
  onMove,
  onKey,
  onDrawn,
}: CardProps) {
  const all = useScreens();
  const name = rowName(all, entity, row);
  const isChanged = useIsChanged(row);
  const shown = columns
    .filter(
      (field) =>
        !entity.title_fields.includes(field.name) && field.name !== machine.field && !isMeaninglessId(field, entity),
    )
    .slice(0, FIELDS);
  return (
    <article
      className={classNames(styles.card, isPicked && styles.ghost)}
      aria-label={name}
      data-new={isNew || isChanged || undefined}
      ref={(card) => {
        if (card) onDrawn(card);
      }}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: Space picks the card up.
      tabIndex={0}
      draggable={ways.length > 0}
      onDragStart={(event) => {
        event.dataTransfer.setData('text/plain', name);
        onPick();
      }}
      onDragEnd={onPutBack}
      onKeyDown={onKey}
    >
      {path ? (
        <Link to={path} className={styles.subject} draggable={false}>
          {name}
        </Link>
      ) : (
        <span className={styles.subject}>{name}</span>
      )}
      <div className={styles.by}>
        {shown.map((field) => (
          <span key={field.name}>
            <FieldValue entity={entity} field={field} row={row} isShort />
          </span>
        ))}
        {ways.length > 0 && (
          <select
            className={styles.menu}
            aria-label={t('moveOne', { name })}
            value=""
            onChange={({ currentTarget }) => onMove(currentTarget.value)}
          >
            <option value="">{t('move')}</option>
            {ways.map(({ name: transition, label, to }) => (
              <option key={transition} value={to}>
                {label}
              </option>
            ))}
          </select>
        )}
      </div>
      {actions && (
        <div className={styles.actions}>
          <RowActionButtons {...actions} row={row} name={name} />
        </div>
      )}
    </article>
  );
}
