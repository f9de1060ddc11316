import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { plainWords } from '../../../../contract/plain-words.ts';
import type { PortalEntity, PortalField } from '../../../../contract/portal.ts';
import { type Draft, toDraft, typedIn, valuesOf, wrongIn } from '../../../fields/draft.ts';
import { FieldEditor } from '../../../fields/editor.tsx';
import { FormFilesContext } from '../../../fields/form-files-context.ts';
import { wordsOf } from '../../../fields/rules.ts';
import { inSentence, t } from '../../../language/messages.ts';
import { Button } from '../../../ui/button.tsx';
import { isSubmitKey } from '../../../ui/key-name.ts';
import { rowName } from '../../fields/value.tsx';
import { usePortal } from '../../queries/client.ts';
import { pointedTo } from '../../queries/query.ts';
import { Refusal, type Row } from '../../queries/rest.ts';
import { addRow, row as rowQuery } from '../../queries/rows.ts';
import { entityIn, fieldIn, listFor, type Place, rowPath, useScreens } from '../../queries/screens.ts';
import { TextButton } from '../../sign-in/auth-layout.tsx';
import { Company } from '../shared/company.tsx';
import { Message, Trouble } from '../shared/message.tsx';
import styles from '../shared/page.module.css';
import { troubleWords } from '../shared/trouble-words.ts';
import { useCaller } from '../shell/gate.tsx';
import { Shell } from '../shell/shell.tsx';
import { Clash } from './clash.tsx';
import formStyles from './form-page.module.css';
import { type FieldProblem, FormProblems } from './form-problems.tsx';
import { LeaveDialog } from './leave-dialog.tsx';
import { useFormUploads } from './use-form-uploads.ts';
import { useSaveChanges } from './use-save-changes.ts';
import { useSavedDraft } from './use-saved-draft.ts';

/**
 * Form of a new row, or of the existing row whose key is in the address. If callers cannot add rows, it is the form of
 * the member's own row.
 */
export function FormPage({
  screen,
  entity,
  rowKey,
}: Omit<Place, 'rowKey'> & { rowKey: Readonly<Record<string, unknown>> | null }) {
  const portal = usePortal();
  const all = useScreens();
  const key = useFormKey(entity, rowKey);
  const {
    data: row,
    error,
    isPending,
  } = useQuery({
    ...rowQuery(portal, all, entity, key ?? {}),
    enabled: key !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (key === null && !entity.access.insert.open) {
    const list = listFor(all, entity);
    return (
      <Message title={screen.title}>
        {list ? <Link to={list.route}>{t('chooseWhat', { title: list.title })}</Link> : t('nothingToChange')}
      </Message>
    );
  }
  if (key === null) return <Form place={{ screen, entity }} row={null} rowKey={null} />;
  if (isPending) return <Shell title={screen.title}>{null}</Shell>;
  if (!row) {
    return error ? (
      <Shell title={screen.title}>
        <Trouble error={error} />
      </Shell>
    ) : (
      <Message title={t('noSuch', { one: entity.one })}>{t('noSuchWhy')}</Message>
    );
  }
  return <Form place={{ screen, entity }} row={row} rowKey={key} />;
}

/**
 * Returns the key of the row that the form changes: the row in the address, or the member's own row if callers cannot
 * add rows. Null for a new row.
 */
function useFormKey(entity: PortalEntity, rowKey: Readonly<Record<string, unknown>> | null) {
  const caller = useCaller();
  if (rowKey !== null) return rowKey;
  const [key] = entity.key;
  const isOwn = key !== undefined && fieldIn(entity, key)?.editor === 'member';
  return !entity.access.insert.open && isOwn && caller ? { [key]: caller.user.id } : null;
}

interface FormOf {
  readonly place: Pick<Place, 'screen' | 'entity'>;
  /** The row that the form changes; null for a new row. */
  readonly row: Row | null;
  readonly rowKey: Readonly<Record<string, unknown>> | null;
}

/** Form of a new row, or of an existing row with its values. */
function Form(of: FormOf) {
  const { screen, entity } = of.place;
  const form = useRowForm(of);
  const { isNew, changing } = form;
  const title = isNew || screen.kind === 'form' ? screen.title : t('changeOne', { one: entity.one });
  return (
    <Shell title={title} back={form.back} hidesBar>
      <form
        ref={form.element}
        className={formStyles.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          form.submit();
        }}
        onKeyDown={(event) => {
          if (isSubmitKey(event)) form.submit();
        }}
      >
        <div className={styles.titlebar}>
          <div>
            <h1 className={styles.title}>{title}</h1>
            {isNew && entity.help !== null && (
              <p className={styles.answer}>
                <bdi>{entity.help}</bdi>
              </p>
            )}
            {of.rowKey !== null && <Company entity={entity} rowKey={of.rowKey} />}
          </div>
        </div>
        <FormProblems problems={form.problems} onField={form.focus} />
        {form.problems.length === 0 && <Trouble error={form.error} />}
        {changing.notSaved !== null && (
          <p className={styles.trouble} role="alert">
            {changing.notSaved}
          </p>
        )}
        {changing.clash && <Clash entity={entity} clash={changing.clash} onChoose={form.resolve} />}
        <FormFilesContext value={form.files}>
          <FormFields form={form} row={of.row} />
        </FormFilesContext>
        <div className={formStyles.bar}>
          <Button
            type="submit"
            kind="first"
            busy={(form.isSaving && t('saving')) || (form.isWaiting && t('uploading'))}
            offBecause={form.offBecause}
          >
            {t('save')}
          </Button>
          <Button onClick={form.cancel}>{t('cancel')}</Button>
          <span role="status">{form.status}</span>
          {form.isRestored && <TextButton onClick={form.discard}>{t('draftDiscard')}</TextButton>}
        </div>
        <LeaveDialog mayLeave={form.mayLeave} onDiscard={form.discard} />
      </form>
    </Shell>
  );
}

type RowForm = ReturnType<typeof useRowForm>;

/** The fields of a form. Each is shown with its value, the rule that the value breaks, and the label of the referenced row. */
function FormFields({ form, row }: { form: RowForm; row: Row | null }) {
  const all = useScreens();
  return (
    <div className={formStyles.fields}>
      {form.fields.map((field) => {
        const pointed = row && pointedTo(row, field.name);
        const target = field.reference && entityIn(all, field.reference.entity);
        return (
          <FieldEditor
            key={field.name}
            field={field}
            value={form.shownIn(field)}
            chosen={pointed && target ? rowName(all, target, pointed) : null}
            wrong={form.shownWrong(field)}
            isOptional={form.isNew && !field.required && field.editor !== 'boolean'}
            onChange={(value) => form.change(field, value)}
            onLeave={() => form.shownIn(field) !== '' && form.leaveField(field)}
          />
        );
      })}
    </div>
  );
}

/** Returns what the member has typed in a form, which rules it breaks, and the functions that save it. */
function useRowForm({ place: { screen, entity }, row, rowKey }: FormOf) {
  const portal = usePortal();
  const all = useScreens();
  const navigate = useNavigate();
  const isNew = row === null;
  const fields = formFields(entity, screen.kind === 'form' ? screen.columns : null, isNew);
  const place = `${screen.route} ${rowKey === null ? '' : JSON.stringify(rowKey)}`;
  const typed = useTypedValues(place, fields, row);
  const { saved, restored, draft, shownIn, wrong, hasChanges } = typed;
  const problems = useProblems(fields, wrong);
  const { element, focus, onError, shownWrong } = problems;
  const isDone = useRef(false);
  const adding = useMutation(addRow(portal, entity, useCaller()?.user.id ?? null));
  // A restored draft contains the values that the member saw while typing. The stored row is compared with these
  // values, because another caller may have changed the row in the meantime.
  const changing = useSaveChanges(entity, row && { ...row, ...restored?.before }, rowKey);
  const back =
    row && screen.kind === 'detail' ? (rowPath(all, entity, row) ?? '/') : (listFor(all, entity)?.route ?? '/');
  const isSaving = adding.isPending || changing.isPending;
  const leaveTo = (path: string) => {
    isDone.current = true;
    saved.clear();
    void navigate({ to: path });
  };
  const saveTo = (path: string) => {
    uploads.settle(fields, row, shownIn);
    leaveTo(path);
  };
  const submit = () => {
    if (uploads.waits()) return;
    const first = problems.tryAll();
    if (first) return focus(first.name);
    if (isSaving) return;
    if (!isNew) return changing.save(valuesOf(fields, draft, row), { onError, onSaved: () => saveTo(back) });
    adding.mutate(valuesOf(fields, draft, row), {
      onError,
      onSuccess: (added) => saveTo((added && rowPath(all, entity, added)) ?? back),
    });
  };
  const uploads = useFormUploads({ entity, place, key: rowKey }, submit);
  const isRestored = restored !== null && hasChanges;
  return {
    ...{
      files: uploads.files,
      isWaiting: uploads.isWaiting,
      element,
      isNew,
      fields,
      changing,
      back,
      isSaving,
      shownIn,
      shownWrong,
      isRestored,
      focus,
    },
    error: adding.error ?? changing.error,
    problems: problems.listed,
    offBecause: problems.words ?? (!isNew && !hasChanges && !uploads.isPending ? t('nothingChanged') : null),
    status: problems.words ?? uploads.status ?? (isRestored ? t('draftKept') : ''),
    mayLeave: () => isDone.current || !(hasChanges || uploads.isPending),
    cancel: () => {
      if (!hasChanges && !uploads.isPending) uploads.discard();
      void navigate({ to: back });
    },
    discard: () => {
      typed.discard();
      uploads.discard();
      problems.reset();
    },
    change: (field: PortalField, value: string | boolean) => {
      typed.change(field, value);
      problems.forgetAttempt();
    },
    leaveField: problems.leave,
    resolve: (chosen: Parameters<typeof changing.resolve>[0]) =>
      changing.resolve(chosen, { onError, onSaved: () => leaveTo(back) }),
    submit,
  };
}

/** Returns the problems of a form: wrong values of fields that the member has left, and the field that the server refused. */
function useProblems(fields: readonly PortalField[], wrong: ReadonlyMap<string, string | null>) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [isTried, setIsTried] = useState(false);
  const { element, refused, setRefused, focus, onError } = useRefused(fields);
  const shownWrong = ({ name }: PortalField) =>
    refused?.field === name ? refused.words : left.has(name) ? (wrong.get(name) ?? null) : null;
  const broken = fields.find(({ name }) => left.has(name) && wrong.get(name) != null);
  const forgetAttempt = () => {
    setRefused(null);
    setIsTried(false);
  };
  return {
    ...{ element, focus, onError, shownWrong, forgetAttempt },
    /** The sentence about the first wrong field; null if none is wrong. */
    words: broken ? t('lookAt', { label: inSentence(broken.label) }) : null,
    /** The fields to list at the top of the form: after an attempt to save it, those that stopped the attempt. */
    listed: isTried || refused ? problemsOf(fields, shownWrong) : [],
    /** Checks all fields. Returns the first wrong one. */
    tryAll: () => {
      setLeft(new Set(fields.map(({ name }) => name)));
      const first = fields.find(({ name }) => wrong.get(name) != null);
      setIsTried(first !== undefined);
      return first;
    },
    leave: ({ name }: PortalField) => setLeft(new Set([...left, name])),
    reset: () => {
      forgetAttempt();
      setLeft(new Set());
    },
  };
}

/** Returns the fields that stop a form from being saved. */
const problemsOf = (
  fields: readonly PortalField[],
  wrong: (field: PortalField) => string | null,
): readonly FieldProblem[] =>
  fields.flatMap((field) => {
    const words = wrong(field);
    return words === null ? [] : [{ name: field.name, label: field.label, words }];
  });

/** Returns the values that a member types in a form. They are stored on the device until the form is saved. */
function useTypedValues(place: string, fields: readonly PortalField[], row: Row | null) {
  const isNew = row === null;
  const saved = useSavedDraft(place);
  const [restored, setRestored] = useState(saved.read);
  const given = useGivenValues(fields, isNew);
  const [draft, setDraft] = useState<Draft>(() => ({ ...restored?.draft, ...given }));
  const unchanged = (field: PortalField) => (row ? toDraft(field, row[field.name]) : (field.initial ?? ''));
  const shownIn = (field: PortalField) => typedIn(draft, field) ?? unchanged(field);
  const isTyped = (field: PortalField) => {
    const typed = typedIn(draft, field);
    return typed !== undefined && typed !== (typedIn(given, field) ?? unchanged(field));
  };
  return {
    ...{ saved, restored, draft, shownIn },
    /** The rule that each field breaks. A stored value that the member leaves unchanged is not checked, because it is not sent. */
    wrong: new Map(
      fields.map((field) => [field.name, isNew || isTyped(field) ? wrongIn(field, shownIn(field), isNew) : null]),
    ),
    hasChanges: fields.some(isTyped),
    change: (field: PortalField, value: string | boolean) => {
      const next = { ...draft, [field.name]: value };
      setDraft(next);
      saved.write(next, row);
    },
    discard: () => {
      saved.clear();
      setDraft(given);
      setRestored(null);
    },
  };
}

/** Returns the field that the server has refused, and the function that finds it in an error and moves the focus to it. */
function useRefused(fields: readonly PortalField[]) {
  const element = useRef<HTMLFormElement>(null);
  const [refused, setRefused] = useState<RefusedField | null>(null);
  const focus = (name: string) =>
    element.current
      ?.querySelector<HTMLElement>(`[data-field="${CSS.escape(name)}"] :is(input, textarea, select, button)`)
      ?.focus();
  const onError = (failure: Error) => {
    const found = refusedField(fields, failure);
    setRefused(found);
    if (found) focus(found.field);
  };
  return { element, refused, setRefused, focus, onError };
}

interface RefusedField {
  readonly field: string;
  readonly words: string;
}

/** Returns the values that the address gives to the fields of a new row, for example `/bookings/new?resource=1`. */
function useGivenValues(fields: readonly PortalField[], isNew: boolean): Draft {
  const search = useSearch({ strict: false }) as Readonly<Record<string, unknown>>;
  const given = fields.flatMap((field): [string, string | boolean][] => {
    const value = search[field.name];
    return isNew && (typeof value === 'string' || typeof value === 'number')
      ? [[field.name, toDraft(field, value)]]
      : [];
  });
  return Object.fromEntries(given);
}

/**
 * Returns the fields of a form: those that its screen names, or else all fields that the caller may write. The state is
 * left out, because only transitions change it, and so are fields of a new row whose value
 * the policies fix: the caller's id, or a constant.
 */
function formFields(entity: PortalEntity, columns: readonly string[] | null, isNew: boolean): PortalField[] {
  const written = entity.fields.filter(({ insertable, updatable, filled_by }) =>
    isNew ? insertable && filled_by !== 'caller' && filled_by !== 'policy' : updatable,
  );
  if (columns === null) {
    return written.filter(({ name, filled_by }) => name !== entity.machine?.field && filled_by !== 'database');
  }
  return columns.flatMap((name) => written.find((field) => field.name === name) ?? []);
}

/** Returns the field that an error is about, because the error names the field or one of its rules. */
function refusedField(fields: readonly PortalField[], error: Error): RefusedField | null {
  if (!(error instanceof Refusal) || !error.code?.startsWith('23')) return null;
  const named = new Set([...error.message.matchAll(/"([^"]+)"/g)].map(([, name]) => name));
  for (const field of fields) {
    const rule = field.rules.find(({ name }) => named.has(name));
    if (rule) return { field: field.name, words: error.hint === null ? wordsOf(rule) : plainWords(error.hint) };
  }
  const field = fields.find(({ name }) => error.code === '23502' && named.has(name));
  return field ? { field: field.name, words: troubleWords(error) } : null;
}
