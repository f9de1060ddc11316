import { IconGripVertical } from '@tabler/icons-react';
import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react';
import { classNames } from '../../../../ui/class-names.ts';
import { Icon } from '../../../../ui/icon.tsx';
import styles from './ordered-list.module.css';

/** A line of an ordered list. */
export interface OrderedItem {
  readonly id: string;
  /** The name for readers who do not see the line. */
  readonly name: string;
  readonly content: ReactNode;
  /** Shown below the line. */
  readonly details?: ReactNode;
  /** True for a line that stays in its place, such as a heading. */
  readonly isFixed?: boolean;
  readonly look?: 'heading' | 'off' | 'chosen' | undefined;
}

/**
 * List whose lines the reader puts into an order: by dragging the handle of a line, or with Space and the arrow keys on
 * the handle. Each step moves the line at once; Space or Esc puts it down.
 */
export function OrderedList({
  label,
  items,
  onMove,
}: {
  label: string;
  items: readonly OrderedItem[];
  onMove: (from: number, to: number) => void;
}) {
  const list = useRef<HTMLUListElement>(null);
  const [held, setHeld] = useState<string | null>(null);
  const [dragged, setDragged] = useState<{ from: number; to: number } | null>(null);
  const [said, say] = useState('');
  const places = items.length - 1;
  const move = (from: number, to: number) => {
    if (to < 0 || to > places || to === from) return;
    onMove(from, to);
    say(`${items[from]?.name}, place ${to + 1} of ${items.length}.`);
  };
  const onKey = (event: KeyboardEvent, index: number, id: string) => {
    const isHeld = held === id;
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    if (event.key === ' ' || (isHeld && (event.key === 'Escape' || event.key === 'Enter'))) {
      setHeld(isHeld ? null : id);
      say(isHeld ? `${items[index]?.name} put down.` : `${items[index]?.name} picked up. The arrow keys move it.`);
    } else if (isHeld && by !== 0) move(index, index + by);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const drag = useDrag(list, dragged, setDragged, move);
  return (
    <>
      <ul className={styles.list} aria-label={label} ref={list}>
        {items.map(({ id, name, content, details, isFixed = false, look }, index) => (
          <li key={id}>
            <div
              className={classNames(styles.line, look && styles[look], held === id && styles.held)}
              data-line
              data-dragged={dragged?.from === index || undefined}
              data-drop={dropEdge(dragged, index)}
            >
              {isFixed ? (
                <span />
              ) : (
                <button
                  type="button"
                  className={styles.grip}
                  aria-label={`Move ${name}`}
                  aria-pressed={held === id}
                  onKeyDown={(event) => onKey(event, index, id)}
                  onBlur={() => held === id && setHeld(null)}
                  onPointerDown={(event) => drag.start(event, index)}
                  onPointerMove={drag.move}
                  onPointerUp={drag.end}
                  onPointerCancel={drag.cancel}
                >
                  <Icon of={IconGripVertical} small />
                </button>
              )}
              {content}
            </div>
            {details}
          </li>
        ))}
      </ul>
      <span className="sr" role="status">
        {said}
      </span>
    </>
  );
}

type Dragged = { from: number; to: number } | null;

const dropEdge = (dragged: Dragged, index: number): 'above' | 'below' | undefined =>
  dragged?.to !== index || dragged.from === index ? undefined : dragged.to < dragged.from ? 'above' : 'below';

/** Returns the handlers of a handle. The place under the pointer is that of the line whose middle is nearest. */
function useDrag(
  list: { readonly current: HTMLElement | null },
  dragged: Dragged,
  setDragged: (dragged: Dragged) => void,
  drop: (from: number, to: number) => void,
) {
  return {
    start: (event: PointerEvent<HTMLElement>, index: number) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      setDragged({ from: index, to: index });
    },
    move: ({ clientY }: PointerEvent) => {
      if (!dragged || !list.current) return;
      const middles = [...list.current.querySelectorAll('[data-line]')].map((line) => {
        const { top, bottom } = line.getBoundingClientRect();
        return Math.abs((top + bottom) / 2 - clientY);
      });
      const to = middles.indexOf(Math.min(...middles));
      if (to !== dragged.to) setDragged({ ...dragged, to });
    },
    end: () => {
      if (dragged) drop(dragged.from, dragged.to);
      setDragged(null);
    },
    cancel: () => setDragged(null),
  };
}

/** Returns a list with one item moved to another place. Pure. */
export function moved<T>(items: readonly T[], from: number, to: number): T[] {
  const next = [...items];
  next.splice(to, 0, ...next.splice(from, 1));
  return next;
}
