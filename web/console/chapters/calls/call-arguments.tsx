import { TextInput } from '@mantine/core';
import type { CallEntry, CallParameter } from '../../../../contract/specification-calls.ts';
import { asked, canUndo, canUpsert, type Draft, filterBeginning, isWrite } from './draft.ts';
import styles from './try-it.module.css';

/** Form fields for the variable parts of a call's path and for its parameters. */
export function CallArguments({
  call,
  parameters,
  draft,
  onChange,
}: {
  call: CallEntry;
  parameters: readonly CallParameter[];
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
}) {
  return (
    <>
      {Object.keys(draft.path).map((name) => (
        <TextInput
          key={name}
          label={name}
          value={draft.path[name] ?? ''}
          onChange={(event) => onChange({ path: { ...draft.path, [name]: event.currentTarget.value } })}
          autoComplete="off"
          spellCheck={false}
        />
      ))}
      <div className={styles.pairs}>
        {asked(parameters).map(({ name, type, required }) => (
          <TextInput
            key={name}
            label={name}
            placeholder={type}
            required={required}
            withAsterisk={false}
            value={draft.query[name] ?? ''}
            onChange={(event) => onChange({ query: { ...draft.query, [name]: event.currentTarget.value } })}
            autoComplete="off"
            spellCheck={false}
            description={filterNote(filterBeginning(call, draft.query[name] ?? ''))}
          />
        ))}
      </div>
    </>
  );
}

/** Returns the warning beside an argument that the server reads as a filter because of how the value begins. */
const filterNote = (begins: string | null) =>
  begins !== null && (
    <span className={styles.warning}>
      A value that begins with {begins} filters the result. Use POST to pass it as the argument.
    </span>
  );

/** Checkboxes with the options of a call that may change data. */
export function WriteOptions({
  call,
  draft,
  onChange,
}: {
  call: CallEntry;
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
}) {
  return (
    <>
      {call.area === 'rest' && isWrite(call) && (
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={draft.rowsBack}
            onChange={(event) => onChange({ rowsBack: event.currentTarget.checked })}
          />
          Return the rows
        </label>
      )}
      {canUpsert(call) && (
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={draft.upsert}
            onChange={(event) => onChange({ upsert: event.currentTarget.checked })}
          />
          Update existing rows
        </label>
      )}
      {canUndo(call) && (
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={draft.undo}
            onChange={(event) => onChange({ undo: event.currentTarget.checked })}
          />
          Undo afterwards
        </label>
      )}
    </>
  );
}
