import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { PortalEntity, PortalRelated } from '../../../../contract/portal.ts';
import { type Draft, typedIn, valuesOf, wrongIn } from '../../../fields/draft.ts';
import { FieldEditor } from '../../../fields/editor.tsx';
import { FormFilesContext } from '../../../fields/form-files-context.ts';
import { t } from '../../../language/messages.ts';
import { Button } from '../../../ui/button.tsx';
import { Kbd } from '../../../ui/kbd.tsx';
import { isSubmitKey } from '../../../ui/key-name.ts';
import { usePortal } from '../../queries/client.ts';
import { addRow } from '../../queries/rows.ts';
import { useFormUploads } from '../form/use-form-uploads.ts';
import { useSavedDraft } from '../form/use-saved-draft.ts';
import { Trouble } from '../shared/trouble.tsx';
import { useCaller } from '../shell/gate.tsx';
import styles from './detail-page.module.css';

interface ComposeProps {
  entity: PortalEntity;
  columns: readonly string[];
  related: PortalRelated;
  value: unknown;
}

/** Form that adds a row which references the row of the page. */
export function Compose(props: ComposeProps) {
  const { entity } = props;
  const { fields, draft, wrong, adding, uploads, change, submit } = useNewRow(props);
  return (
    <form
      className={styles.compose}
      noValidate
      onKeyDown={(event) => {
        if (isSubmitKey(event)) event.currentTarget.requestSubmit();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <FormFilesContext value={uploads.files}>
        {fields.map((field, i) => (
          <FieldEditor
            key={field.name}
            field={field}
            value={typedIn(draft, field) ?? ''}
            wrong={wrong[i] ?? null}
            isOptional={!field.required && field.editor !== 'boolean'}
            bare={field.name === entity.title_fields[0] ? t('addOne', { one: entity.one }) : undefined}
            onChange={(typed) => change(field.name, typed)}
          />
        ))}
      </FormFilesContext>
      <Trouble error={adding.error} />
      <div className={styles.buttons}>
        <Button
          type="submit"
          kind="first"
          busy={(adding.isPending && t('sending')) || (uploads.isWaiting && t('uploading'))}
        >
          {t('send')}
        </Button>
        <span role="status">{uploads.status}</span>
        <span className={styles.keys}>
          <Kbd keys={t('keyCtrlEnter')} />
        </span>
      </div>
    </form>
  );
}

/** Returns the typed values of the new row, the rules that they break after an attempt to send it, and what sends it. */
function useNewRow({ entity, columns, related, value }: ComposeProps) {
  const portal = usePortal();
  const adding = useMutation(addRow(portal, entity, useCaller()?.user.id ?? null));
  const place = `${related.entity} ${related.field} ${String(value)}`;
  const saved = useSavedDraft(place);
  const [draft, setDraft] = useState<Draft>(() => saved.read()?.draft ?? {});
  const [isTried, setIsTried] = useState(false);
  const fields = columns.flatMap(
    (name) =>
      entity.fields.find(
        (field) =>
          field.name === name &&
          field.insertable &&
          field.filled_by !== 'caller' &&
          field.filled_by !== 'policy' &&
          field.initial_is_caller === undefined &&
          field.reference?.entity !== entity.id &&
          name !== related.field,
      ) ?? [],
  );
  const wrong = fields.map((field) => wrongIn(field, typedIn(draft, field) ?? '', true));
  const submit = () => {
    setIsTried(true);
    if (adding.isPending || uploads.waits() || wrong.some((words) => words !== null)) return;
    adding.mutate(
      { ...valuesOf(fields, draft, null), [related.field]: value },
      {
        onSuccess: () => {
          uploads.settle(fields, null, (field) => typedIn(draft, field) ?? '');
          saved.clear();
          setDraft({});
          setIsTried(false);
        },
      },
    );
  };
  const uploads = useFormUploads({ entity, place, key: null }, submit);
  const change = (field: string, typed: string | boolean) => {
    const next = { ...draft, [field]: typed };
    setDraft(next);
    saved.write(next, null);
  };
  return { fields, draft, wrong: isTried ? wrong : [], adding, uploads, change, submit };
}
