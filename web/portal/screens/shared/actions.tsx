import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { PortalAction } from '../../../../contract/portal.ts';
import { type Draft, typedIn, valuesOf, wrongIn } from '../../../fields/draft.ts';
import { FieldEditor } from '../../../fields/editor.tsx';
import { t } from '../../../language/messages.ts';
import { Button } from '../../../ui/button.tsx';
import { rowName } from '../../fields/value.tsx';
import { usePortal } from '../../queries/client.ts';
import { callFunction, type Row } from '../../queries/rest.ts';
import { entityIn, rowPath, useScreens } from '../../queries/screens.ts';
import { queryClient } from '../../queries/session.ts';
import styles from './actions.module.css';
import { Trouble } from './message.tsx';

/** Buttons that call functions of the app. If a function has arguments, its button opens a form for them. */
export function Actions({ actions, row = null }: { actions: readonly PortalAction[]; row?: Row | null }) {
  const portal = usePortal();
  const [asked, setAsked] = useState<PortalAction | null>(null);
  const calling = useMutation({
    mutationFn: async ({ action, values }: { action: PortalAction; values: Row }) => {
      const own = action.row && row ? { [action.row.argument]: row[action.row.field] } : {};
      return { action, value: await callFunction(portal, action, { ...values, ...own }) };
    },
    onSuccess: () => {
      setAsked(null);
      return queryClient.invalidateQueries({ queryKey: ['rows'] });
    },
  });
  if (actions.length === 0) return null;
  return (
    <div className={styles.actions}>
      {asked === null ? (
        <div className={styles.buttons}>
          {actions.map((action) => (
            <Button
              key={action.name}
              busy={calling.isPending && calling.variables?.action === action && t('working')}
              onClick={() => {
                calling.reset();
                if (action.fields.length > 0) setAsked(action);
                else calling.mutate({ action, values: {} });
              }}
            >
              {action.label}
            </Button>
          ))}
        </div>
      ) : (
        <Arguments
          action={asked}
          isBusy={calling.isPending}
          onCancel={() => {
            calling.reset();
            setAsked(null);
          }}
          onCall={(values) => calling.mutate({ action: asked, values })}
        />
      )}
      <Trouble error={calling.error} />
      {calling.data && <Result action={calling.data.action} value={calling.data.value} />}
    </div>
  );
}

/** Form for the arguments of a function. */
function Arguments({
  action,
  isBusy,
  onCancel,
  onCall,
}: {
  action: PortalAction;
  isBusy: boolean;
  onCancel: () => void;
  onCall: (values: Row) => void;
}) {
  const [draft, setDraft] = useState<Draft>({});
  const [isTried, setIsTried] = useState(false);
  const wrong = action.fields.map((field) => wrongIn(field, typedIn(draft, field) ?? '', true));
  return (
    <form
      className={styles.form}
      aria-label={action.label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setIsTried(true);
        if (!isBusy && wrong.every((words) => words === null)) onCall(valuesOf(action.fields, draft, null));
      }}
    >
      <h2>{action.label}</h2>
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

/** Shows what a function returned: a link to the returned row, a short value, or only that the function is done. */
function Result({ action, value }: { action: PortalAction; value: unknown }) {
  const all = useScreens();
  const entity = action.returns === null ? undefined : entityIn(all, action.returns);
  const row = (Array.isArray(value) ? value[0] : value) as Row | null | undefined;
  const path = entity && row && rowPath(all, entity, row);
  const isShort = typeof value === 'string' || typeof value === 'number';
  return (
    <p role="status" className={styles.done}>
      {t('asked', { label: action.label })}{' '}
      {path && entity ? <Link to={path}>{rowName(all, entity, row)}</Link> : isShort ? String(value) : ''}
    </p>
  );
}
