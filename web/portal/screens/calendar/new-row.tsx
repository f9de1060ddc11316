import { useMediaQuery } from '@mantine/hooks';
import { IconX } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import type { PortalEntity, PortalField, PortalScreen } from '../../../../contract/portal.ts';
import { toDraft, valuesOf } from '../../../fields/draft.ts';
import { members } from '../../../fields/time-words.ts';
import { t } from '../../../language/messages.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { isSubmitKey } from '../../../ui/key-name.ts';
import { usePortal } from '../../queries/client.ts';
import { addRow, instantOf } from '../../queries/rows.ts';
import { FormFields } from '../form/form-fields.tsx';
import { formFields, useTypedValues } from '../form/typed-values.ts';
import { useProblems } from '../form/use-problems.ts';
import modalStyles from '../shared/modal.module.css';
import { useToast } from '../shared/toast.tsx';
import { Trouble } from '../shared/trouble.tsx';
import { useCaller } from '../shell/gate.tsx';
import { addDays } from './days.ts';
import { isDayField, spanValues } from './entries.ts';
import type { Period } from './layout.ts';
import styles from './new-row.module.css';
import type { CalendarOf, Contents } from './use-calendar.ts';
import { periodWords } from './words.ts';

interface NewRowProps {
  readonly of: CalendarOf;
  readonly contents: Contents;
  /** The time of the new row. */
  readonly chosen: Period;
  /** Returns the element that shows the chosen time. The dialog is beside it. */
  readonly place: () => Element | null;
  /** Called when the member types another time. */
  readonly onTimes: (period: Period) => void;
  readonly onClose: () => void;
}

/** Dialog beside the chosen time: the form of a new row, or for a visitor the way to it. */
export function NewRow(props: NewRowProps) {
  const { contents } = props;
  const { form, rows } = contents;
  if (form && rows) return <RowForm {...props} form={form} rows={rows} />;
  return contents.isInvited ? <Invitation {...props} /> : null;
}

/** Title of the dialog: that of the form, with the row by which the calendar is divided. */
const titleOf = (title: string, { division }: Contents): string => [title, division?.name].filter(Boolean).join(' · ');

/** Leads a visitor to sign in. The address to which the visitor then returns contains the chosen time. */
function Invitation({ of: { screen }, contents, chosen, place, onClose }: NewRowProps) {
  const { app } = usePortal();
  // While the sign-in page is loaded, the address is already that of the next page.
  const [next] = useState(() => `${location.pathname}${location.search}`);
  return (
    <Beside title={titleOf(screen.title, contents)} place={place} onClose={onClose}>
      <p>{t('calendarInviteAt', { when: periodWords(chosen, false) })}</p>
      <div className={styles.buttons}>
        <Link to="/account/sign-in" search={{ next }} className={buttonClass({ kind: 'first' })}>
          {t('signIn')}
        </Link>
        {app.sign_up && (
          <Link to="/account/sign-up" search={{ next }} className={buttonClass()}>
            {t('makeAnAccount')}
          </Link>
        )}
      </div>
    </Beside>
  );
}

function RowForm(props: NewRowProps & { form: PortalScreen; rows: PortalEntity }) {
  const { contents, rows, form, chosen, place, onTimes, onClose } = props;
  const row = useNewRow(props);
  const { change } = row;
  const { start, end } = props.of.span;
  const all = row.fields;
  const title = titleOf(form.title, contents);
  const onChange = (field: PortalField, value: string | boolean) => {
    change(field, value);
    const typed = readPeriod(rows, [start, end], (name) =>
      name === field.name ? String(value) : String(row.shownIn(all.find((one) => one.name === name) ?? field)),
    );
    if (typed && (typed.start.getTime() !== chosen.start.getTime() || typed.end.getTime() !== chosen.end.getTime()))
      onTimes(typed);
  };
  return (
    <Beside title={title} place={place} first={row.first} onClose={onClose}>
      <form
        ref={row.element}
        className={styles.form}
        noValidate
        aria-label={title}
        onSubmit={(event) => {
          event.preventDefault();
          row.submit();
        }}
        onKeyDown={(event) => {
          if (isSubmitKey(event)) row.submit();
        }}
      >
        <FormFields form={{ ...row, isNew: true, change: onChange }} row={null} />
        {row.hasUnplacedError && <Trouble error={row.error} />}
        <div className={styles.buttons}>
          <Button type="submit" kind="first" busy={row.isSaving && t('saving')} offBecause={row.words}>
            {form.title}
          </Button>
          <Button onClick={row.close}>{t('cancel')}</Button>
          <Link to={form.route} search={row.given as never}>
            {t('calendarOpenForm')}
          </Link>
        </div>
      </form>
    </Beside>
  );
}

/** Returns the fields and the typed values of the compact form, and the function that adds the row. */
function useNewRow({ of, contents, chosen, rows, form }: NewRowProps & { form: PortalScreen; rows: PortalEntity }) {
  const portal = usePortal();
  const toast = useToast();
  const { calendar, span, screen } = of;
  const { division } = contents;
  const all = formFields(rows, form.columns, true).filter(({ editor }) => editor !== 'files');
  const divided = division ? calendar.of?.field : undefined;
  // A field of the chosen row is not asked for, and the times come first.
  const times = [span.start, span.end].flatMap((name) => all.find((field) => field.name === name) ?? []);
  const fields = [...times, ...all.filter((field) => field.name !== divided && !times.includes(field))];
  const values = spanValues(rows, span, chosen).map(([name, time]) => [name, instantOf(rows, name, time)] as const);
  const given = Object.fromEntries([...values, ...(divided === undefined ? [] : [[divided, division?.value]])]);
  const drafts = Object.fromEntries(
    all.flatMap((field) => (given[field.name] === undefined ? [] : [[field.name, toDraft(field, given[field.name])]])),
  );
  const typed = useTypedValues(`${screen.route} new`, fields, null, drafts);
  const problems = useProblems(fields, typed.wrong);
  const adding = useMutation(addRow(portal, rows, useCaller()?.user.id ?? null));
  const { element } = problems;
  const close = () => element.current?.closest('dialog')?.close();
  const submit = () => {
    const first = problems.tryAll();
    if (first) return problems.focus(first.name);
    if (adding.isPending) return;
    const divider = divided === undefined ? {} : { [divided]: division?.value };
    adding.mutate(
      { ...divider, ...valuesOf(fields, typed.draft, null) },
      {
        onError: problems.onError,
        onSuccess: () => {
          typed.saved.clear();
          toast({
            words: t('calendarAdded', { one: form.title, when: periodWords(chosen, isDayField(rows, span.start)) }),
          });
          close();
        },
      },
    );
  };
  return {
    ...{ element, fields, given, submit, close },
    // The times are filled in, so the first other field waits for the member.
    first: fields.find((field) => !times.includes(field))?.name ?? span.start,
    shownIn: typed.shownIn,
    shownWrong: problems.shownWrong,
    leaveField: (field: PortalField) => typed.shownIn(field) !== '' && problems.leave(field),
    change: (field: PortalField, value: string | boolean) => {
      typed.change(field, value);
      problems.forgetAttempt();
    },
    isSaving: adding.isPending,
    error: adding.error,
    hasUnplacedError: problems.listed.length === 0,
    words: problems.words,
  };
}

/** Reads the period that the typed texts of the two fields of a span mean; null while they mean none. */
function readPeriod(
  entity: PortalEntity,
  [start, end]: readonly [string, string],
  typed: (name: string) => string,
): Period | null {
  const [begun, ended] = [start, end].map((name) => members.read(typed(name), new Date())?.time ?? null);
  if (!begun || !ended) return null;
  const last = isDayField(entity, end) ? addDays(ended, 1) : ended;
  return begun < last ? { start: begun, end: last } : null;
}

/** Distance in pixels between the dialog and the chosen time, and between the dialog and the edges of the page. */
const GAP_PIXELS = 10;

/**
 * Dialog beside an element. On a phone it is at the lower edge.
 * @param first Name of the field that has the focus at first.
 */
function Beside({
  title,
  place,
  first,
  onClose,
  children,
}: {
  title: string;
  first?: string;
  place: () => Element | null;
  onClose: () => void;
  children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isPhone = useMediaQuery('(max-width: 760px)', undefined, { getInitialValueInEffect: false });
  const [at, setAt] = useState<{ left: number; top: number } | null>(null);
  // The dialog has its size once it is open.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (element && !element.open) {
      element.showModal();
      if (first !== undefined)
        element.querySelector<HTMLElement>(`[data-field="${CSS.escape(first)}"] :is(input, textarea, select)`)?.focus();
    }
  }, [first]);
  // The event of a closed dialog ends the choice. When the page is left, the dialog is removed without this event.
  const close = () => dialog.current?.close();
  useLayoutEffect(() => {
    const [element, beside] = [dialog.current, place()?.getBoundingClientRect()];
    if (!element || !beside || isPhone) {
      setAt(null);
      return;
    }
    const { offsetWidth: width, offsetHeight: height } = element;
    const [before, after] = [beside.left - width - GAP_PIXELS, beside.right + GAP_PIXELS];
    const edge = element.closest('main')?.getBoundingClientRect().left ?? 0;
    const fits = (left: number, least: number) => left >= least && left + width <= innerWidth - GAP_PIXELS;
    const places = [
      [before, edge],
      [after, edge],
      [before, GAP_PIXELS],
    ] as const;
    const [left] = places.find(([one, least]) => fits(one, least)) ?? [(innerWidth - width) / 2];
    setAt({ left, top: Math.max(GAP_PIXELS, Math.min(beside.top - 40, innerHeight - height - GAP_PIXELS)) });
  }, [place, isPhone]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: A press beside the dialog closes it, as Esc does.
    <dialog
      ref={dialog}
      className={styles.beside}
      aria-label={title}
      data-placed={at !== null || undefined}
      style={at ?? undefined}
      onClose={onClose}
      onClick={(event) => event.target === event.currentTarget && close()}
    >
      <div className={styles.body}>
        <div className={styles.head}>
          <h2>{title}</h2>
          <button type="button" className={modalStyles.close} aria-label={t('close')} onClick={close}>
            <Icon of={IconX} />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
