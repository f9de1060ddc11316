import { useMutation } from '@tanstack/react-query';
import { type CSSProperties, type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { PortalRule } from '../../../../../contract/portal.ts';
import type { Entity, Field } from '../../../../../contract/specification-entities.ts';
import type { Machine } from '../../../../../contract/states.ts';
import { JsonField } from '../../../../fields/json-field.tsx';
import { TimeField } from '../../../../fields/time-field.tsx';
import { Button } from '../../../../ui/button.tsx';
import { classNames } from '../../../../ui/class-names.ts';
import { Kbd } from '../../../../ui/kbd.tsx';
import { caps } from '../../../../ui/shortcuts/bindings.ts';
import { isMac } from '../../../../ui/shortcuts/keyboard.tsx';
import type { Table } from '../../../queries/rows/rest-call.ts';
import type { Row } from '../../../queries/rows/row.ts';
import { recordChange } from '../../../queries/rows/session-changes.ts';
import { keyWords } from '../../../queries/rows/undo-change.ts';
import { updateRow } from '../../../queries/rows/update-row.ts';
import { kindOf } from '../../../values/field-kind.ts';
import { fullText } from '../../../values/show-value.ts';
import { maxCharacters } from '../../../values/type-words.ts';
import { ChoiceEditor } from './choice-editor.tsx';
import styles from './editor.module.css';
import { editorKind, targetOf, timeKind } from './editor-kind.ts';
import { FieldRule } from './field-rule.tsx';
import { FilesEditor } from './files-editor.tsx';
import { ReferenceEditor } from './reference-editor.tsx';
import { StateEditor } from './state-editor.tsx';
import { readTyped, shownText } from './typed-value.ts';
import { useValueRules } from './use-value-rules.ts';
import { isSaveKey, ValueInput } from './value-input.tsx';
import { brokenBy } from './value-rules.ts';

export interface CellEditorProps {
  table: Table;
  entities: readonly Entity[];
  field: Field;
  row: Row;
  rowKey: readonly string[];
  /** Label of the referenced row. */
  label: string | undefined;
  /** State machine of the field, if it has one. */
  machine: Machine | undefined;
  /** Width of the cell in px; null in the panel. */
  cellWidth: number | null;
  /** The characters that the builder typed in the cell, which opened the editor. */
  typed?: string;
  onFailed?: (failed: boolean) => void;
  /** @param next True if the editor of the next cell should open. */
  onClose: (saved: boolean, next?: boolean) => void;
}

/**
 * Editor of one value, in its cell or in the panel. References, states, enums, booleans and times have a picker; other
 * types have lines of text. An error of the server is shown in the editor. The editor closes after the value is saved,
 * or if it was not changed.
 */
export function CellEditor(props: CellEditorProps) {
  const { table, entities, field, row, rowKey, label, machine, cellWidth, typed = '', onFailed, onClose } = props;
  const value = row[field.name] ?? null;
  const form = useRef<HTMLFormElement>(null);
  const { save, clearError, isPending, error } = useCellSave(props);
  const ofTable = useValueRules(table);
  const rules = ofTable.rules.filter((rule) => rule.fields.includes(field.name));
  useEffect(() => {
    const input = form.current?.querySelector<HTMLInputElement | HTMLTextAreaElement>(
      'input:not([type=file]), textarea',
    );
    input?.focus({ preventScroll: true });
    input?.setSelectionRange?.(input.value.length, input.value.length);
  }, []);

  const rule = <FieldRule table={table} field={field} rules={rules} error={error} />;
  const kind = editorKind(field, machine, entities);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose(false);
    else if (event.key === 'Tab' && cellWidth !== null && kind !== 'text' && kind !== 'json' && kind !== 'time')
      onClose(false, true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <form
      ref={form}
      className={classNames(styles.editor, cellWidth !== null && styles.inCell)}
      style={cellWidth === null ? undefined : ({ '--cell-width': `${cellWidth}px` } as CSSProperties)}
      aria-label={`Edit ${field.name}`}
      onKeyDown={onKeyDown}
      onSubmit={(event) => event.preventDefault()}
    >
      {kind === 'state' && machine ? (
        <StateEditor
          {...{ table, entities }}
          machine={machine}
          row={row}
          rowKey={rowKey}
          typed={typed}
          onFailed={onFailed}
          onClose={onClose}
        />
      ) : field.files ? (
        <FilesEditor {...props} {...{ value, isPending }} field={{ ...field, files: field.files }} onSave={save}>
          {rule}
        </FilesEditor>
      ) : kind === 'choice' ? (
        <ChoiceEditor field={field} value={value} typed={typed} isWrong={error !== null} onSave={save}>
          {rule}
        </ChoiceEditor>
      ) : kind === 'reference' ? (
        <ReferenceEditor
          {...{ table, field, value, label, typed }}
          target={targetOf(field, entities)}
          className={styles.input}
          isWrong={error !== null}
          onChoose={(choice) => save(choice?.value ?? null, choice?.name)}
        >
          {rule}
        </ReferenceEditor>
      ) : (
        <TypedEditor
          {...{ field, value, typed, isPending, clearError, onClose }}
          isInCell={cellWidth !== null}
          failed={error !== null}
          checked={ofTable.checked.get(field.name)}
          onSave={save}
        >
          {rule}
        </TypedEditor>
      )}
    </form>
  );
}

/**
 * Returns the function that saves a value of a cell, and the state of its request. The change is recorded, so that the
 * builder can undo it.
 */
function useCellSave({ table, field, row, rowKey, label, onFailed, onClose }: CellEditorProps) {
  const value = row[field.name] ?? null;
  const { mutate, isPending, error, reset } = useMutation(updateRow(table));
  const save = (next: string | null, shown?: string, goOn = false, onSaved?: () => void) => {
    if (isPending) return;
    if (next === value) return onClose(false, goOn);
    mutate(
      { key: rowKey, values: { [field.name]: next } },
      {
        onSuccess: (saved) => {
          onSaved?.();
          // Files that are removed from the field are deleted, so the change cannot be undone.
          if (field.files) return onClose(true, goOn);
          const words = (text: string | null, name?: string) =>
            text === null ? 'null' : (name ?? fullText(text, kindOf(field))).slice(0, 60);
          recordChange({
            table,
            kind: 'update',
            rows: [
              { key: rowKey, before: { [field.name]: value }, after: { [field.name]: saved[field.name] ?? null } },
            ],
            what: `${field.name} of ${keyWords(rowKey)}`,
            how: `${words(value, label)} to ${words(saved[field.name] ?? null, shown)}`,
          });
          onClose(true, goOn);
        },
        onError: () => onFailed?.(true),
      },
    );
  };
  const clearError = () => {
    if (!error) return;
    reset();
    onFailed?.(false);
  };
  return { save, clearError, isPending, error };
}

interface TypedEditorProps {
  field: Field;
  value: string | null;
  typed: string;
  isInCell: boolean;
  isPending: boolean;
  failed: boolean;
  /** Rules that are checked while the value is typed. */
  checked: readonly PortalRule[] | undefined;
  children: ReactNode;
  clearError: () => void;
  onSave: (value: string | null, shown?: string, goOn?: boolean) => void;
  onClose: (saved: boolean) => void;
}

/** Editor of a value that is typed: text, numbers, times, JSON. */
function TypedEditor(props: TypedEditorProps) {
  const { field, value, typed, isInCell, isPending, failed, checked, children, clearError, onSave, onClose } = props;
  const id = useId();
  const [now] = useState(() => new Date());
  const kind = kindOf(field);
  const time = timeKind(field);
  const stored = shownText(field, value, now);
  const [draft, setDraft] = useState<string | null>(typed === '' ? stored : typed);
  const isChanged = draft !== stored;
  const typedValue = !isChanged
    ? { value, wrong: null }
    : draft === null
      ? { value: null, wrong: null }
      : readTyped(field, draft, now);
  const { value: read } = typedValue;
  const wrong = typedValue.wrong ?? (isChanged ? brokenBy(field, checked, read) : null);
  const change = (next: string) => {
    setDraft(next);
    clearError();
  };
  const save = (goOn = false) => {
    if (wrong === null) onSave(read, undefined, goOn);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const isField = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
    if (!isField || event.nativeEvent.isComposing) return;
    if (isSaveKey(event, kind)) save();
    else if (event.key === 'Tab' && !event.shiftKey && isInCell && kind !== 'json') save(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const foot = (
    <TypedFoot
      {...{ field, value, draft, wrong, isPending, onSave }}
      onSaveTyped={() => save()}
      onCancel={() => onClose(false)}
    >
      {children}
    </TypedFoot>
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: The element handles the keys of the field in it.
    <div onKeyDown={onKeyDown}>
      {time !== null ? (
        <TimeField
          id={id}
          label={field.name}
          text={draft ?? ''}
          kind={time}
          className={styles.input}
          isWrong={failed || wrong !== null}
          onText={change}
        >
          {foot}
        </TimeField>
      ) : kind === 'json' ? (
        <div className={styles.pop}>
          <JsonField label={field.name} text={draft ?? ''} onText={change} />
          {foot}
        </div>
      ) : (
        <div className={styles.pop}>
          <ValueInput
            field={field}
            value={draft}
            label={field.name}
            failed={failed || wrong !== null}
            onChange={change}
          />
          {foot}
        </div>
      )}
    </div>
  );
}

/** Shows the rule for a typed value or the reason why the value is invalid, and the buttons that save it. */
function TypedFoot({
  field,
  value,
  draft,
  wrong,
  isPending,
  children,
  onSave,
  onSaveTyped,
  onCancel,
}: Pick<TypedEditorProps, 'field' | 'value' | 'isPending' | 'children' | 'onSave'> & {
  draft: string | null;
  wrong: string | null;
  onSaveTyped: () => void;
  onCancel: () => void;
}) {
  const kind = kindOf(field);
  const max = maxCharacters(field.base_type ?? field.type);
  return (
    <div className={styles.foot}>
      {(wrong === null || kind === 'json') && children}
      {kind === 'text' && draft !== null && (
        <span className={classNames('num', styles.count, max !== null && [...draft].length > max && styles.over)}>
          {[...draft].length}
        </span>
      )}
      {wrong !== null && kind !== 'json' && (
        <p className={styles.wrong} role="alert">
          {wrong}
        </p>
      )}
      <div className={styles.buttons}>
        <Button kind="first" small busy={isPending && 'Saving'} offBecause={wrong} onClick={onSaveTyped}>
          Save
        </Button>
        <Button kind="quiet" small onClick={onCancel}>
          Cancel
        </Button>
        {field.nullable && (
          <Button
            kind="quiet"
            small
            offBecause={value === null ? 'It is null already.' : null}
            onClick={() => onSave(null)}
          >
            <i>null</i>
          </Button>
        )}
        <span className={styles.keys}>
          <Kbd keys={[kind === 'json' ? (caps('mod+enter', isMac)[0] ?? '') : 'Enter', 'Esc']} />
        </span>
      </div>
    </div>
  );
}
