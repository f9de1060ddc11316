import { type FormEvent, useState } from 'react';
import { Button } from '../../../../ui/button.tsx';
import type { Table } from '../../../data/rows/rest-call.ts';
import type { Row } from '../../../data/rows/row.ts';
import { checkValue } from '../../../values/check-value.ts';
import { kindOf } from '../../../values/field-kind.ts';
import styles from './cell-editor.module.css';
import { ServerError } from './server-error.tsx';
import { ValueInput } from './value-input.tsx';
import type { RowWay } from './ways.ts';

/** Asks for the fields that a transition requires, and makes the transition with their values. */
export function RequiredFields({
  table,
  way: { transition, missing },
  isBusy,
  error,
  onCancel,
  onTake,
}: {
  table: Table;
  way: RowWay;
  isBusy: boolean;
  error: Error | null;
  onCancel: () => void;
  onTake: (values: Row) => void;
}) {
  const [values, setValues] = useState<Record<string, string>>({});
  const fields = table.entity.fields.filter(({ name }) => missing.includes(name));
  const lacking = fields.find(
    (field) => (values[field.name] ?? '') === '' || checkValue(values[field.name] ?? '', kindOf(field)) !== null,
  );
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (!isBusy && !lacking) onTake(values);
  };
  return (
    <fieldset className={styles.required}>
      <legend>
        {transition.name} <span className="soft">to {transition.to}</span>
      </legend>
      {fields.map((field, place) => (
        <div key={field.name}>
          <span className={styles.rule}>{field.name}</span>
          <ValueInput
            field={field}
            value={values[field.name] ?? ''}
            label={field.name}
            failed={error !== null}
            autoFocus={place === 0}
            onChange={(text) => setValues({ ...values, [field.name]: text })}
            onSave={submit}
          />
        </div>
      ))}
      {error && <ServerError error={error} />}
      <div className={styles.buttons}>
        <Button
          kind="first"
          small
          busy={isBusy && 'Saving'}
          offBecause={lacking ? `Enter ${lacking.name}.` : null}
          onClick={() => submit()}
        >
          {transition.name}
        </Button>
        <Button kind="quiet" small onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </fieldset>
  );
}
