import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { PortalEntity, PortalMachine, PortalTransition } from '../../../../contract/portal.ts';
import { type Draft, readDraft, typedIn, wrongIn } from '../../../fields/draft.ts';
import { FieldEditor } from '../../../fields/editor.tsx';
import { FormFilesContext } from '../../../fields/form-files-context.ts';
import { State } from '../../../fields/state.tsx';
import { TransitionList } from '../../../fields/transition-list.tsx';
import { inSentence, t } from '../../../language/messages.ts';
import { Button } from '../../../ui/button.tsx';
import { rowName } from '../../fields/value.tsx';
import { keyOf, pointedTo } from '../../queries/query.ts';
import type { Row } from '../../queries/rest.ts';
import { entityIn, fieldIn, useScreens } from '../../queries/screens.ts';
import { missingFor, waysOf } from '../../queries/transitions.ts';
import { useFormUploads } from '../form/use-form-uploads.ts';
import { useSavedDraft } from '../form/use-saved-draft.ts';
import pageStyles from '../shared/page.module.css';
import { sinceOf } from '../shared/state-since.ts';
import { Trouble } from '../shared/trouble.tsx';
import { useMove } from '../shared/use-move.ts';
import styles from './detail-page.module.css';

interface MachineOf {
  entity: PortalEntity;
  machine: PortalMachine;
  row: Row;
}

/**
 * Shows the state of a row and its transitions. A permitted transition is a button; any other transition has the reason
 * why it is not permitted.
 */
export function Transitions({ entity, machine, row }: MachineOf) {
  const { taking, move: moveRow } = useMove(entity, machine);
  const { take } = useSearch({ strict: false }) as { take?: string };
  const [asked, setAsked] = useState<string | null>(take ?? null);
  const ways = waysOf(machine, row);
  const asking = ways.find(({ transition, isOpen }) => isOpen && transition.name === asked)?.transition;
  const reason = useReason();
  const since = machine.undecided ? null : sinceOf(row);
  const move = (transition: PortalTransition, values: Row, onMoved = () => {}) =>
    moveRow(row, transition, values, (isMoved) => {
      setAsked(null);
      if (isMoved) onMoved();
    });
  return (
    <>
      <h2 className={pageStyles.panelHead}>{fieldIn(entity, machine.field)?.label ?? machine.field}</h2>
      <p className={styles.now}>
        <State machine={machine} state={String(row[machine.field])} />
        {since !== null && <span className="soft">{since}</span>}
      </p>
      {asking ? (
        <RequiredFields
          entity={entity}
          machine={machine}
          row={row}
          transition={asking}
          isBusy={taking.isPending}
          onCancel={() => setAsked(null)}
          onTake={(values, onTaken) => move(asking, values, onTaken)}
        />
      ) : (
        <TransitionList
          machine={machine}
          ways={ways.map(({ transition, isOpen }) => ({
            name: transition.name,
            label: transition.label,
            to: transition.to,
            isOpen,
            note: isOpen ? needs(entity, transition, row) : reason(entity, row, transition.when),
          }))}
          isBusy={taking.isPending}
          notOpen={t('notOpenToYou')}
          onTake={(name) => {
            const chosen = ways.find(({ transition }) => transition.name === name)?.transition;
            if (!chosen) return;
            if (missingFor(chosen, row).length > 0) setAsked(name);
            else move(chosen, {});
          }}
        />
      )}
      {taking.data !== undefined && taking.data !== 'moved' && (
        <p className="soft" role="alert">
          {t(taking.data === 'changed' ? 'movedOn' : 'ruleRefuses')}
        </p>
      )}
      <Trouble error={taking.error} />
    </>
  );
}

/** Returns a function that says why a transition is not permitted: who must own the row, or which condition is not met. */
function useReason() {
  const all = useScreens();
  return (entity: PortalEntity, row: Row, when: string | null): string => {
    if (when === null) return t('notPossible');
    const [, name] = /^own row \(by (\w+)\)$/.exec(when) ?? [];
    const field = name === undefined ? undefined : fieldIn(entity, name);
    if (!field) return t('onlyWhen', { when });
    const target = field.reference && entityIn(all, field.reference.entity);
    const pointed = pointedTo(row, field.name);
    const label = inSentence(field.label);
    return target && pointed
      ? t('onlyOwnerNamed', { field: label, who: rowName(all, target, pointed) })
      : t('onlyOwner', { field: label });
  };
}

/** Names the fields for which a transition asks, because it requires them and they have no value. Null if there are none. */
function needs(entity: PortalEntity, transition: PortalTransition, row: Row): string | null {
  const missing = missingFor(transition, row).map((name) => inSentence(fieldIn(entity, name)?.label ?? name));
  return missing.length === 0 ? null : t('needs', { fields: missing.join(', ') });
}

/** Form for the fields that a transition requires. */
function RequiredFields({
  entity,
  machine,
  row,
  transition,
  isBusy,
  onCancel,
  onTake,
}: MachineOf & {
  transition: PortalTransition;
  isBusy: boolean;
  onCancel: () => void;
  /** Makes the transition. Calls `onTaken` after the server has made it. */
  onTake: (values: Row, onTaken: () => void) => void;
}) {
  const key = keyOf(entity, row);
  const place = `${entity.id} ${transition.name} ${JSON.stringify(key)}`;
  const saved = useSavedDraft(place);
  const [draft, setDraft] = useState<Draft>(() => saved.read()?.draft ?? {});
  const [isTried, setIsTried] = useState(false);
  const fields = missingFor(transition, row).flatMap((name) => fieldIn(entity, name) ?? []);
  const wrong = fields.map((field) => wrongIn({ ...field, nullable: false }, typedIn(draft, field) ?? '', false));
  const submit = () => {
    setIsTried(true);
    if (isBusy || uploads.waits() || wrong.some((words) => words !== null)) return;
    const values = fields.flatMap((field): [string, unknown][] => {
      const read = readDraft(field, typedIn(draft, field) ?? '');
      return 'value' in read ? [[field.name, read.value]] : [];
    });
    onTake(Object.fromEntries(values), () => {
      uploads.settle(fields, null, (field) => typedIn(draft, field) ?? '');
      saved.clear();
    });
  };
  const uploads = useFormUploads({ entity, place, key }, submit);
  return (
    <form
      className={styles.well}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <p className={styles.wellHead}>
        {transition.label}
        <State machine={machine} state={transition.to} />
      </p>
      <FormFilesContext value={uploads.files}>
        {fields.map((field, i) => (
          <FieldEditor
            key={field.name}
            field={field}
            value={typedIn(draft, field) ?? ''}
            wrong={isTried ? (wrong[i] ?? null) : null}
            onChange={(value) => {
              const next = { ...draft, [field.name]: value };
              setDraft(next);
              saved.write(next, null);
            }}
          />
        ))}
      </FormFilesContext>
      <div className={styles.buttons}>
        <Button type="submit" kind="first" busy={(isBusy && t('saving')) || (uploads.isWaiting && t('uploading'))}>
          {transition.label}
        </Button>
        <Button
          onClick={() => {
            uploads.discard();
            saved.clear();
            onCancel();
          }}
        >
          {t('cancel')}
        </Button>
      </div>
    </form>
  );
}
