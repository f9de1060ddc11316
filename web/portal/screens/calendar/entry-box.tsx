import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type CSSProperties, useState } from 'react';
import type { PortalEntity } from '../../../../contract/portal.ts';
import { State, stateColour } from '../../../fields/state.tsx';
import { t } from '../../../language/messages.ts';
import { Icon } from '../../../ui/icon.tsx';
import { FieldValue, rowName } from '../../fields/value.tsx';
import { usePortal } from '../../queries/client.ts';
import { keyOf } from '../../queries/query.ts';
import { rowRights } from '../../queries/rows.ts';
import { readableFields, rowPath, useScreens } from '../../queries/screens.ts';
import { useCaller } from '../shell/gate.tsx';
import type { Entry } from './entries.ts';
import styles from './time-grid.module.css';
import type { CalendarOf, Division } from './use-calendar.ts';
import { type Scale, useEntryDrag } from './use-entry-drag.ts';
import type { RowMoves } from './use-row-moves.ts';
import { clockWords, periodWords } from './words.ts';

/** Height in pixels below which the words of a row are beside its time. */
const SHORT_PIXELS = 38;

/** The properties that all entries of a calendar share. */
export interface EntriesOf {
  readonly of: CalendarOf;
  /** The entity of the rows; undefined if there are only taken times. */
  readonly rows: PortalEntity | undefined;
  readonly division: Division | null;
  readonly moves: RowMoves;
  readonly scale: () => Scale;
}

interface BoxProps extends EntriesOf {
  readonly entry: Entry;
  readonly style: CSSProperties;
  /** The day of the box, for the band absent. */
  readonly on?: string;
}

/** A row or a taken time in a calendar. */
export function EntryBox(props: BoxProps) {
  const { entry, style, rows, on } = props;
  if (entry.kind === 'row' && rows) return <RowBox {...props} rows={rows} />;
  return (
    <div className={styles.taken} style={style} data-entry="taken" data-on={on}>
      <span className="sr">{periodWords(entry, entry.isInBand)}</span> <span>{t('calendarTaken')}</span>
    </div>
  );
}

function RowBox({ entry, style, rows, on, ...of }: BoxProps & { rows: PortalEntity }) {
  const { moves } = of;
  const all = useScreens();
  const path = rowPath(all, rows, entry.row);
  const [isNear, setNear] = useState(false);
  const isMovable = useMovable(entry, rows, moves, isNear);
  const name = rowName(all, rows, entry.row);
  const { onPointerDown, pointer, onKeyDown, onBlur, onClick, isDragged } = useEntryDrag(
    ...([entry, name, moves, of.scale, isMovable] as const),
  );
  const box = {
    className: styles.row,
    style: { ...style, '--c': `var(--${colourOf(rows, entry)})` } as CSSProperties,
    'data-entry': 'row',
    'data-on': on,
    ...useLook(rows, entry),
    'data-over': entry.isOver || undefined,
    'data-short': (typeof style.height === 'number' && style.height < SHORT_PIXELS) || undefined,
    'data-dragged': isDragged || undefined,
    'data-movable': isMovable || undefined,
    draggable: false,
    onPointerEnter: () => setNear(true),
    onFocus: () => setNear(true),
    onPointerDown: onPointerDown('move'),
    ...{ ...pointer, onKeyDown, onBlur, onClick },
  };
  const words = (
    <>
      {!entry.isInBand && <b className={styles.clock}>{clockWords(entry)}</b>}
      <RowWords rows={rows} entry={entry} {...of} />
      {isMovable && !entry.isInBand && (
        // A click on the edge would open the row, but a drag of it changes the end.
        <span aria-hidden="true" className={styles.edge} onPointerDown={onPointerDown('end')} {...pointer} />
      )}
    </>
  );
  const refused = moves.refused?.id === entry.id ? moves.refused : null;
  return (
    <>
      {path ? (
        <Link to={path} {...box}>
          {words}
        </Link>
      ) : (
        <div {...box}>{words}</div>
      )}
      {refused && (
        <div className={styles.refused} style={{ ...style, ...belowOf(style) }} role="alert">
          <p>{refused.words}</p>
          {refused.hint !== null && <p className="soft">{refused.hint}</p>}
          <button type="button" aria-label={t('close')} onClick={moves.dismiss}>
            <Icon of={IconX} />
          </button>
        </div>
      )}
    </>
  );
}

/** Returns the place directly below an entry. */
const belowOf = ({ top, height }: CSSProperties): CSSProperties =>
  typeof top === 'number' && typeof height === 'number' ? { top: top + height + 4, height: 'auto' } : {};

/** Returns true if the member may move a row. The server decides about it once the member turns to the row. */
function useMovable(entry: Entry, rows: PortalEntity, moves: RowMoves, isNear: boolean): boolean {
  const portal = usePortal();
  const mayMove = moves.mayMove(entry) && !entry.isOver;
  const rights = useQuery({ ...rowRights(portal, rows, keyOf(rows, entry.row)), enabled: isNear && mayMove });
  return mayMove && isNear && rights.data?.canUpdate !== false;
}

/** Returns how a row looks: as one of the caller, as one that waits for somebody, or as one of another member. */
function useLook({ fields, machine }: PortalEntity, { row }: Entry) {
  const callerId = useCaller()?.user.id;
  const people = fields.filter(({ editor, readable }) => editor === 'member' && readable);
  const isOther = people.length > 0 && people.every(({ name }) => row[name] !== callerId);
  const isAsked = machine !== null && row[machine.field] === machine.initial;
  return { 'data-look': isOther ? 'other' : isAsked ? 'asked' : 'own' };
}

const colourOf = ({ machine }: PortalEntity, { row }: Entry): string =>
  machine ? stateColour(machine, String(row[machine.field])) : 'd-1';

/** Shows the first field of a row that the calendar does not show otherwise, and the state. */
export function RowWords({
  rows,
  entry,
  of: { screen, span, calendar },
  division,
}: Pick<EntriesOf, 'of' | 'division'> & { rows: PortalEntity; entry: Entry }) {
  const all = useScreens();
  const { machine } = rows;
  const known = [span.start, span.end, machine?.field, ...rows.key, ...(division ? [calendar.of?.field] : [])];
  const [leading] = readableFields(rows, screen.columns).filter(({ name }) => !known.includes(name));
  const state = machine ? String(entry.row[machine.field]) : null;
  if (leading || !machine || state === null) {
    return (
      <span className={styles.words}>
        {machine && state !== null && <State machine={machine} state={state} isBare />}
        {leading ? <FieldValue entity={rows} field={leading} row={entry.row} isShort /> : rowName(all, rows, entry.row)}
      </span>
    );
  }
  return (
    <span className={styles.words}>
      {division === null && `${rowName(all, rows, entry.row)}, `}
      {machine.states.find(({ value }) => value === state)?.label}
    </span>
  );
}
