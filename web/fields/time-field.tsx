import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Calendar } from './calendar.tsx';
import { clockText, dayText, isoDay, isoTime, readTime } from './read-time.ts';
import styles from './time-field.module.css';

/**
 * The PostgreSQL type of the field: a day; a day and a clock without a time zone; a moment, shown in the reader's time
 * zone.
 */
export type TimeKind = 'date' | 'timestamp' | 'timestamptz';

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Formats a time as the field shows it. */
export const timeText = (time: Date, kind: TimeKind): string =>
  kind === 'date' ? dayText(time) : `${dayText(time)} ${clockText(time)}`;

/**
 * Returns a typed time as PostgreSQL reads it; null if it is no time. A day without a clock is its beginning. PostgreSQL's
 * `infinity` stays as it is.
 */
export function timeValue(text: string, kind: TimeKind, now: Date): string | null {
  if (/^[+-]?infinity$/i.test(text.trim())) return text.trim();
  const time = readTime(text, now)?.time;
  if (!time) return null;
  return kind === 'date' ? isoDay(time) : kind === 'timestamp' ? isoTime(time) : time.toISOString();
}

/**
 * Text field for a date or time with a calendar. It reads what `readTime` reads. The arrow keys change the day, Page keys
 * the month.
 */
export function TimeField({
  id,
  label,
  text,
  kind,
  className,
  describedBy,
  isWrong,
  children,
  onText,
}: {
  id: string;
  label?: string | undefined;
  text: string;
  kind: TimeKind;
  className?: string | undefined;
  describedBy?: string | undefined;
  isWrong?: boolean;
  /** Content below the calendar: the rule of the field, buttons. */
  children?: ReactNode;
  onText: (text: string) => void;
}) {
  const [now] = useState(() => new Date());
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
    setDay(new Date(time.getFullYear(), time.getMonth() + (months ?? 0), time.getDate() + (days ?? 0)));
  };
  return (
    <div className={styles.field}>
      <input
        id={id}
        className={className}
        aria-label={label}
        aria-describedby={describedBy}
        aria-invalid={isWrong || undefined}
        autoComplete="off"
        spellCheck={false}
        value={text}
        placeholder={kind === 'date' ? '24 Nov 2026' : '24 Nov 2026 16:30'}
        onChange={({ currentTarget }) => onText(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div className={styles.below}>
        <Calendar chosen={time} today={now} onChoose={setDay} />
        {kind !== 'date' && (
          <div className={styles.clock}>
            <span>at</span>
            <Clock time={time} onTime={set} />
            <span className={styles.zone}>
              {kind === 'timestamptz' ? `${zone}, stored in UTC` : 'stored without a time zone'}
            </span>
          </div>
        )}
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
        {typed && text.trim() !== timeText(typed.time, kind) && (
          <p className={styles.means} role="status">
            {timeText(typed.time, kind)}
          </p>
        )}
        {children}
        <p className={styles.hint}>
          You can also type <code>{kind === 'date' ? 'fri' : 'fri 9am'}</code> or <code>+2d</code>
        </p>
      </div>
    </div>
  );
}

/** Text field of the clock. It changes the time as soon as its content is a valid clock time. */
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
