import { type FocusEvent, type KeyboardEvent, type MouseEvent, type ReactNode, type Ref, useState } from 'react';
import { t, tNodes } from '../language/messages.ts';
import { Button } from '../ui/button.tsx';
import { Calendar } from './calendar.tsx';
import { clockText, readTime } from './read-time.ts';
import styles from './time-field.module.css';
import { builders, type TimeKind, type TimeNotation } from './time-notation.ts';

/** The time that the field shows as an example. */
const EXAMPLE = new Date(2026, 10, 24, 16, 30);

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

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
  /** The notation of builders, if it is left out. */
  notation?: TimeNotation;
  /** Called when the focus leaves the field. */
  onLeave?: (() => void) | undefined;
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
  notation = builders,
  placeholder = notation.show(EXAMPLE, kind),
  className,
  describedBy,
  isWrong,
  isPopup = false,
  inputRef,
  children,
  onLeave,
  onText,
}: TimeFieldProps) {
  const [now] = useState(() => new Date());
  const [isOpen, setOpen] = useState(!isPopup);
  const typed = notation.read(text, now);
  const time = typed?.time ?? now;
  const set = (next: Date) => onText(notation.show(next, kind));
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
  const popup = isPopup && popupHandlers({ isOpen, setOpen, notation, onLeave });
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
          if (notation.isForBuilders) setOpen(true);
          onText(currentTarget.value);
        }}
        onKeyDown={onKeyDown}
      />
      {isOpen && (
        <Choices
          {...{ kind, text, typed: typed?.time, time, now, notation }}
          onDay={setDay}
          onTime={set}
          onText={onText}
        >
          {children}
        </Choices>
      )}
    </div>
  );
}

/** Returns the handlers of a field whose calendar is shown only while the field has the focus. */
const popupHandlers = ({
  isOpen,
  setOpen,
  notation,
  onLeave,
}: {
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
  notation: TimeNotation;
  onLeave: (() => void) | undefined;
}) => ({
  // For members, a click or an arrow key opens the calendar, because it would cover the next field while they type.
  onFocus: () => notation.isForBuilders && setOpen(true),
  onBlur: (event: FocusEvent) => {
    if (event.currentTarget.contains(event.relatedTarget)) return;
    closeAfter(event, () => setOpen(false));
    onLeave?.();
  },
  onKeyDown: (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return;
    event.preventDefault();
    event.stopPropagation();
    setOpen(false);
  },
});

/**
 * Closes the calendar when the focus leaves its field. A calendar that closed under a pressed button would move the
 * button away from the pointer before the click.
 */
function closeAfter({ relatedTarget }: FocusEvent, close: () => void): void {
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
  notation,
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
  notation: TimeNotation;
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
          <span>{t('timeAt')}</span>
          <Clock time={time} onTime={onTime} />
          <span className={styles.zone}>
            {!notation.isForBuilders
              ? kind === 'timestamptz' && zone
              : kind === 'timestamptz'
                ? `${zone}, stored in UTC`
                : 'stored without a time zone'}
          </span>
        </div>
      )}
      <QuickTimes kind={kind} onText={onText} />
      {typed && text.trim() !== notation.show(typed, kind) && (
        <p className={styles.means} role="status">
          {notation.show(typed, kind)}
        </p>
      )}
      {children}
      <p className={styles.hint}>
        {tNodes('timeAlso', {
          first: <code>{kind === 'date' ? t('timeTypeDay') : t('timeTypeClock')}</code>,
          second: <code>{t('timeTypeStep')}</code>,
        })}
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
          <Button small tabIndex={-1} onClick={() => onText(t('today'))}>
            {t('timeToday')}
          </Button>
          <Button small tabIndex={-1} onClick={() => onText(t('timeTomorrowWord'))}>
            {t('timeTomorrow')}
          </Button>
        </>
      ) : (
        <>
          <Button small tabIndex={-1} onClick={() => onText('+8h')}>
            {t('timeHours', { count: 8 })}
          </Button>
          <Button small tabIndex={-1} onClick={() => onText(`${t('timeTomorrowWord')} 9:00`)}>
            {t('timeTomorrowAt', { clock: '09:00' })}
          </Button>
        </>
      )}
    </div>
  );
}

/** Keeps the focus in the text field when a button is pressed. Otherwise some browsers would take the focus away from every element. */
function keepFocus(event: MouseEvent) {
  if (!(event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement)) event.preventDefault();
}

/** Text field for the time of day. It changes the time as soon as its text is a valid time of day. */
function Clock({ time, onTime }: { time: Date; onTime: (time: Date) => void }) {
  const shown = clockText(time);
  const [draft, setDraft] = useState<{ of: string; text: string } | null>(null);
  return (
    <input
      className={styles.clockInput}
      tabIndex={-1}
      aria-label={t('timeClock')}
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
