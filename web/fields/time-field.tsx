import { type FocusEvent, type KeyboardEvent, type MouseEvent, type ReactNode, type Ref, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Calendar } from './calendar.tsx';
import { clockText, dayText, isoDay, isoTime, readTime } from './read-time.ts';
import styles from './time-field.module.css';

/**
 * The PostgreSQL type of the field. `date` is a day; `timestamp` is a day and a time without a time zone; `timestamptz`
 * is a moment, shown in the reader's time zone.
 */
export type TimeKind = 'date' | 'timestamp' | 'timestamptz';

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Formats a time in the way in which the field shows it. */
export const timeText = (time: Date, kind: TimeKind): string =>
  kind === 'date' ? dayText(time) : `${dayText(time)} ${clockText(time)}`;

/**
 * Converts a typed time to the text that PostgreSQL reads; null if the text is no time. A day without a time of day
 * means its beginning. `infinity` is unchanged, because PostgreSQL reads it.
 */
export function timeValue(text: string, kind: TimeKind, now: Date): string | null {
  if (/^[+-]?infinity$/i.test(text.trim())) return text.trim();
  const time = readTime(text, now)?.time;
  if (!time) return null;
  return kind === 'date' ? isoDay(time) : kind === 'timestamp' ? isoTime(time) : time.toISOString();
}

interface TimeFieldProps {
  id: string;
  label?: string | undefined;
  text: string;
  kind: TimeKind;
  placeholder?: string;
  className?: string | undefined;
  describedBy?: string | undefined;
  isWrong?: boolean;
  /** True if the calendar is shown only while the field has the focus, because the form has several fields. */
  isPopup?: boolean;
  inputRef?: Ref<HTMLInputElement>;
  /** Content below the calendar, such as the rule of the field and buttons. */
  children?: ReactNode;
  onText: (text: string) => void;
}

/**
 * Text field for a date or time, with a calendar. It accepts every text that `readTime` reads. The arrow keys change
 * the day, and the Page keys change the month.
 */
export function TimeField({
  id,
  label,
  text,
  kind,
  placeholder = kind === 'date' ? '24 Nov 2026' : '24 Nov 2026 16:30',
  className,
  describedBy,
  isWrong,
  isPopup = false,
  inputRef,
  children,
  onText,
}: TimeFieldProps) {
  const [now] = useState(() => new Date());
  const [isOpen, setOpen] = useState(!isPopup);
  const typed = readTime(text, now);
  const time = typed?.time ?? now;
  const set = (next: Date) => onText(timeText(next, kind));
  const setDay = (day: Date) =>
    set(
      new Date(
        day.getFullYear(),
        day.getMonth(),
        day.getDate(),
        ...(typed?.hasClock
          ? ([time.getHours(), time.getMinutes(), time.getSeconds()] as const)
          : ([9, 0, 0] as const)),
      ),
    );
  const onKeyDown = (event: KeyboardEvent) => {
    const days = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const months = { PageDown: 1, PageUp: -1 }[event.key];
    if (days === undefined && months === undefined) return;
    event.preventDefault();
    setOpen(true);
    setDay(new Date(time.getFullYear(), time.getMonth() + (months ?? 0), time.getDate() + (days ?? 0)));
  };
  const popup = isPopup && {
    onFocus: () => setOpen(true),
    onBlur: (event: FocusEvent) => closeAfter(event, () => setOpen(false)),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !isOpen) return;
      event.preventDefault();
      setOpen(false);
    },
  };
  return (
    <div className={styles.field} {...popup}>
      <input
        ref={inputRef ?? null}
        id={id}
        className={className}
        aria-label={label}
        aria-describedby={describedBy}
        aria-invalid={isWrong || undefined}
        autoComplete="off"
        spellCheck={false}
        value={text}
        placeholder={placeholder}
        onClick={() => setOpen(true)}
        onChange={({ currentTarget }) => {
          setOpen(true);
          onText(currentTarget.value);
        }}
        onKeyDown={onKeyDown}
      />
      {isOpen && (
        <Choices {...{ kind, text, typed: typed?.time, time, now }} onDay={setDay} onTime={set} onText={onText}>
          {children}
        </Choices>
      )}
    </div>
  );
}

/**
 * Closes the calendar when the focus leaves its field. A calendar that closed under a pressed button would move the
 * button away from the pointer before the click.
 */
function closeAfter({ currentTarget, relatedTarget }: FocusEvent, close: () => void): void {
  if (currentTarget.contains(relatedTarget)) return;
  if (relatedTarget?.matches(':active')) addEventListener('pointerup', () => setTimeout(close), { once: true });
  else close();
}

/** The calendar, the time of day and frequent times, below the text field. */
function Choices({
  kind,
  text,
  typed,
  time,
  now,
  children,
  onDay,
  onTime,
  onText,
}: {
  kind: TimeKind;
  text: string;
  /** The time that the typed text means; undefined if the text is no time. */
  typed: Date | undefined;
  time: Date;
  now: Date;
  children: ReactNode;
  onDay: (day: Date) => void;
  onTime: (time: Date) => void;
  onText: (text: string) => void;
}) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: A press on a button must not move the focus out of the text field.
    <div className={styles.below} onMouseDown={keepFocus}>
      <Calendar chosen={time} today={now} onChoose={onDay} />
      {kind !== 'date' && (
        <div className={styles.clock}>
          <span>at</span>
          <Clock time={time} onTime={onTime} />
          <span className={styles.zone}>
            {kind === 'timestamptz' ? `${zone}, stored in UTC` : 'stored without a time zone'}
          </span>
        </div>
      )}
      <QuickTimes kind={kind} onText={onText} />
      {typed && text.trim() !== timeText(typed, kind) && (
        <p className={styles.means} role="status">
          {timeText(typed, kind)}
        </p>
      )}
      {children}
      <p className={styles.hint}>
        You can also type <code>{kind === 'date' ? 'fri' : 'fri 9am'}</code> or <code>+2d</code>
      </p>
    </div>
  );
}

/** Buttons for frequent times. */
function QuickTimes({ kind, onText }: { kind: TimeKind; onText: (text: string) => void }) {
  return (
    <div className={styles.quick}>
      {kind === 'date' ? (
        <>
          <Button small onClick={() => onText('today')}>
            Today
          </Button>
          <Button small onClick={() => onText('tomorrow')}>
            Tomorrow
          </Button>
        </>
      ) : (
        <>
          <Button small onClick={() => onText('+8h')}>
            In 8 hours
          </Button>
          <Button small onClick={() => onText('tomorrow 9:00')}>
            Tomorrow 09:00
          </Button>
        </>
      )}
    </div>
  );
}

/** Keeps the focus in the text field when a button is pressed. Otherwise some browsers would take the focus away from every element. */
function keepFocus(event: MouseEvent) {
  if (!(event.target instanceof HTMLInputElement)) event.preventDefault();
}

/** Text field for the time of day. It changes the time as soon as its text is a valid time of day. */
function Clock({ time, onTime }: { time: Date; onTime: (time: Date) => void }) {
  const shown = clockText(time);
  const [draft, setDraft] = useState<{ of: string; text: string } | null>(null);
  return (
    <input
      className={styles.clockInput}
      aria-label="Clock time"
      autoComplete="off"
      value={draft?.of === shown ? draft.text : shown}
      onChange={({ currentTarget: { value } }) => {
        const read = /^\d{1,2}:\d\d(:\d\d)?$/.test(value.trim()) ? readTime(value, time) : null;
        if (read) onTime(read.time);
        setDraft({ of: read ? clockText(read.time) : shown, text: value });
      }}
    />
  );
}
