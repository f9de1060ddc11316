import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useCallback, useMemo, useState } from 'react';
import type { PortalAction, PortalEntity, PortalScreen } from '../../../../contract/portal.ts';
import { t } from '../../../language/messages.ts';
import { Button } from '../../../ui/button.tsx';
import { code } from '../../../ui/recovery/code.ts';
import { rowName } from '../../fields/value.tsx';
import { usePortal } from '../../queries/client.ts';
import { callFunction, type Row } from '../../queries/rest.ts';
import { rowsKey } from '../../queries/rows.ts';
import { entityIn, rowPath, useScreens } from '../../queries/screens.ts';
import { queryClient } from '../../queries/session.ts';
import styles from './actions.module.css';
import { useToast } from './toast.tsx';
import { Trouble } from './trouble.tsx';

// The fields of forms are large, and most functions ask for nothing.
const ActionForm = lazy(code(() => import('./action-form.tsx').then(({ ActionForm: form }) => ({ default: form }))));

/** A function that the member has begun, with the row that it takes. */
interface BegunAction {
  readonly action: PortalAction;
  readonly row: Row | null;
}

/** The functions of a screen: begins one, and shows what it asks for and what it returned. */
export interface ActionRun {
  /** Calls a function, or asks for its arguments first. */
  readonly begin: (action: PortalAction, row: Row | null) => void;
  /** The function that is being called. */
  readonly pending: PortalAction | null;
  /** True while the form of a function is shown. */
  readonly isAsking: boolean;
  /** The form for the arguments, the error, and the returned value. */
  readonly panel: ReactNode;
}

/**
 * Calls functions of the app. If a function returns a row, the page of the row is opened.
 * @param listed The entity of a screen of many rows, whose form names the row that a function takes.
 */
export function useActionRun(listed: PortalEntity | null = null): ActionRun {
  const portal = usePortal();
  const all = useScreens();
  const opens = useOpenReturned();
  const [asked, setAsked] = useState<BegunAction | null>(null);
  const calling = useMutation({
    mutationFn: async ({ action, row, values }: BegunAction & { values: Row }) => {
      const own = action.row && row ? { [action.row.argument]: row[action.row.field] } : {};
      return { action, value: await callFunction(portal, action, { ...values, ...own }) };
    },
    onSuccess: ({ action, value }) => {
      setAsked(null);
      opens(action, value);
      return queryClient.invalidateQueries({ queryKey: rowsKey });
    },
  });
  const { mutate, reset } = calling;
  const begin = useCallback(
    (action: PortalAction, row: Row | null) => {
      reset();
      if (action.fields.length > 0) setAsked({ action, row });
      else mutate({ action, row, values: {} });
    },
    [mutate, reset],
  );
  const pending = calling.isPending ? (calling.variables?.action ?? null) : null;
  const hasPanel = asked !== null || calling.error !== null || calling.data !== undefined;
  const panel = hasPanel && (
    <div className={styles.actions}>
      {asked && (
        <Suspense>
          <ActionForm
            key={asked.action.name}
            action={asked.action}
            about={listed && asked.row && asked.action.row ? rowName(all, listed, asked.row) : null}
            isBusy={calling.isPending}
            onCancel={() => {
              reset();
              setAsked(null);
            }}
            onCall={(values) => mutate({ ...asked, values })}
          />
        </Suspense>
      )}
      <Trouble error={calling.error} />
      {calling.data && <Result action={calling.data.action} value={calling.data.value} />}
    </div>
  );
  return { begin, pending, isAsking: asked !== null, panel };
}

/** Returns a function that opens the page of a row that a function returned, and says that the function is done. */
function useOpenReturned() {
  const all = useScreens();
  const navigate = useNavigate();
  const toast = useToast();
  return (action: PortalAction, value: unknown) => {
    const { path } = returnedRow(all, action, value);
    if (path === null) return;
    toast({ words: t('asked', { label: action.label }).trim() });
    void navigate({ to: path });
  };
}

/** Buttons of the functions that take no row, and of those that take this row. */
export function ActionButtons({
  actions,
  row = null,
  run,
  isFirst = false,
}: {
  actions: readonly PortalAction[];
  row?: Row | null;
  run: ActionRun;
  /** True if the first button is the main button of the page. */
  isFirst?: boolean;
}) {
  if (run.isAsking) return null;
  return actions
    .filter((action) => action.row === null || row !== null)
    .map((action, i) => (
      <Button
        key={`${action.schema} ${action.name}`}
        kind={isFirst && i === 0 ? 'first' : 'usual'}
        busy={run.pending === action && t('working')}
        onClick={() => run.begin(action, row)}
      >
        {action.label}
      </Button>
    ));
}

/** Functions that take a row, as buttons of each row of a screen. */
export interface RowActions {
  readonly actions: readonly PortalAction[];
  readonly begin: (action: PortalAction, row: Row) => void;
}

/** Returns the functions of a screen that take a row, with the function that begins one; null if there are none. */
export function useRowActions({ actions }: PortalScreen, begin: RowActions['begin']): RowActions | null {
  return useMemo(() => {
    const taking = actions.filter(({ row }) => row !== null);
    return taking.length === 0 ? null : { actions: taking, begin };
  }, [actions, begin]);
}

/** Small buttons of the functions that take a row. Screen readers also hear the name of the row. */
export const RowActionButtons = ({ actions, begin, row, name }: RowActions & { row: Row; name: string }) =>
  actions.map((action) => (
    <Button
      key={`${action.schema} ${action.name}`}
      small
      aria-label={t('actionOn', { label: action.label, name })}
      onClick={() => begin(action, row)}
    >
      {action.label}
    </Button>
  ));

/** Buttons that call functions of the app, with what they ask for and return. */
export function Actions({ actions, row = null }: { actions: readonly PortalAction[]; row?: Row | null }) {
  const run = useActionRun();
  if (actions.length === 0) return null;
  return (
    <>
      <div className={styles.buttons}>
        <ActionButtons actions={actions} row={row} run={run} />
      </div>
      {run.panel}
    </>
  );
}

/** Returns the row that a function returned, with its name and its address; the address is null if it has no page. */
function returnedRow(all: ReturnType<typeof useScreens>, action: PortalAction, value: unknown) {
  const entity = action.returns === null ? undefined : entityIn(all, action.returns);
  const row = (Array.isArray(value) ? value[0] : value) as Row | null | undefined;
  if (!entity || !row || (Array.isArray(value) && value.length > 1)) return { name: '', path: null };
  return { name: rowName(all, entity, row), path: rowPath(all, entity, row) };
}

/** Says that a function is done, with the short value that it returned. A returned row with a page is opened instead. */
function Result({ action, value }: { action: PortalAction; value: unknown }) {
  const { name, path } = returnedRow(useScreens(), action, value);
  if (path !== null) return null;
  const isShort = typeof value === 'string' || typeof value === 'number';
  return (
    <p role="status" className={styles.done}>
      {t('asked', { label: action.label })} <bdi>{isShort ? String(value) : name}</bdi>
    </p>
  );
}
