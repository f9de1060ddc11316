import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useRef } from 'react';
import type { PortalEntity, PortalField } from '../../../../contract/portal.ts';
import { type Draft, toDraft, valuesOf } from '../../../fields/draft.ts';
import { FormFilesContext } from '../../../fields/form-files-context.ts';
import { t } from '../../../language/messages.ts';
import { Button } from '../../../ui/button.tsx';
import { isSubmitKey } from '../../../ui/key-name.ts';
import { usePortal } from '../../queries/client.ts';
import type { Row } from '../../queries/rest.ts';
import { addRow, row as rowQuery } from '../../queries/rows.ts';
import { fieldIn, listFor, type Place, rowPath, useScreens } from '../../queries/screens.ts';
import { TextButton } from '../../sign-in/auth-layout.tsx';
import { Company } from '../shared/company.tsx';
import { Message } from '../shared/message.tsx';
import styles from '../shared/page.module.css';
import { Trouble } from '../shared/trouble.tsx';
import { useCaller } from '../shell/gate.tsx';
import { Shell } from '../shell/shell.tsx';
import { Clash } from './clash.tsx';
import { FormFields } from './form-fields.tsx';
import formStyles from './form-page.module.css';
import { FormProblems } from './form-problems.tsx';
import { LeaveDialog } from './leave-dialog.tsx';
import { formFields, useTypedValues } from './typed-values.ts';
import { useFormUploads } from './use-form-uploads.ts';
import { useProblems } from './use-problems.ts';
import { useSaveChanges } from './use-save-changes.ts';

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

/** Returns what the member has typed in a form, which rules it breaks, and the functions that save it. */
function useRowForm({ place: { screen, entity }, row, rowKey }: FormOf) {
  const portal = usePortal();
  const all = useScreens();
  const navigate = useNavigate();
  const isNew = row === null;
  const fields = formFields(entity, screen.kind === 'form' ? screen.columns : null, isNew);
  const place = `${screen.route} ${rowKey === null ? '' : JSON.stringify(rowKey)}`;
  const typed = useTypedValues(place, fields, row, useGivenValues(fields, isNew));
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
