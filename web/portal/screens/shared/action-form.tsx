import { useEffect, useRef, useState } from 'react';
import type { PortalAction } from '../../../../contract/portal.ts';
import { type Draft, typedIn, valuesOf, wrongIn } from '../../../fields/draft.ts';
import { FieldEditor } from '../../../fields/editor.tsx';
import { t } from '../../../language/messages.ts';
import { Button } from '../../../ui/button.tsx';
import type { Row } from '../../queries/rest.ts';
import styles from './actions.module.css';

/** Form for the arguments of a function. */
export function ActionForm({
  action,
  about,
  isBusy,
  onCancel,
  onCall,
}: {
  action: PortalAction;
  /** Name of the row that the function takes; null if it takes none. */
  about: string | null;
  isBusy: boolean;
  onCancel: () => void;
  onCall: (values: Row) => void;
}) {
  const [draft, setDraft] = useState<Draft>({});
  const [isTried, setIsTried] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  // The button that opened the form may be at the row, far below it.
  useEffect(() => {
    form.current?.scrollIntoView({ block: 'nearest' });
    form.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
  }, []);
  const wrong = action.fields.map((field) => wrongIn(field, typedIn(draft, field) ?? '', true));
  return (
    <form
      ref={form}
      className={styles.form}
      aria-label={action.label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setIsTried(true);
        if (!isBusy && wrong.every((words) => words === null)) onCall(valuesOf(action.fields, draft, null));
      }}
    >
      <h2>{about === null ? action.label : t('actionOn', { label: action.label, name: about })}</h2>
      {action.help !== null && (
        <p className="soft">
          <bdi>{action.help}</bdi>
        </p>
      )}
      {action.fields.map((field, i) => (
        <FieldEditor
          key={field.name}
          field={field}
          value={typedIn(draft, field) ?? ''}
          wrong={isTried ? (wrong[i] ?? null) : null}
          isOptional={!field.required && field.editor !== 'boolean'}
          onChange={(value) => setDraft({ ...draft, [field.name]: value })}
        />
      ))}
      <div className={styles.buttons}>
        <Button type="submit" kind="first" busy={isBusy && t('working')}>
          {action.label}
        </Button>
        <Button onClick={onCancel}>{t('cancel')}</Button>
      </div>
    </form>
  );
}
