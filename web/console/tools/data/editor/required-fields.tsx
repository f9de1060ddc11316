import { type FormEvent, useState } from 'react';
import type { Entity, Field } from '../../../../../contract/specification-entities.ts';
import { Button } from '../../../../ui/button.tsx';
import type { Table } from '../../../queries/rows/rest-call.ts';
import type { Row } from '../../../queries/rows/row.ts';
import { RowField } from '../panel/row-field.tsx';
import styles from './editor.module.css';
import { ServerError } from './server-error.tsx';
import { readTyped, readValues } from './typed-value.ts';
import type { RowWay } from './ways.ts';

/** Asks for the fields that a transition requires, and makes the transition with their values. */
export function RequiredFields({
  table,
  entities,
  way: { transition, missing },
  isBusy,
  error,
  onCancel,
  onTake,
}: {
  table: Table;
  entities: readonly Entity[];
  way: RowWay;
  isBusy: boolean;
  error: Error | null;
  onCancel: () => void;
  onTake: (values: Row) => void;
}) {
  const [values, setValues] = useState<Row>({});
  const [now] = useState(() => new Date());
  const fields = table.entity.fields.filter(({ name }) => missing.includes(name));
  const wrong = (field: Field): string | null => {
    const value = values[field.name] ?? '';
    return value === '' ? `Enter ${field.name}.` : readTyped(field, value, now).wrong;
  };
  const offBecause = fields.map(wrong).find((reason) => reason !== null) ?? null;
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (!isBusy && offBecause === null) onTake(readValues(fields, values, now));
  };
  return (
    <fieldset className={styles.required}>
      <legend>
        {transition.name} <span className="soft">to {transition.to}</span>
      </legend>
      {fields.map((field, place) => (
        <div key={field.name}>
          <span className={styles.rule}>{field.name}</span>
          <RowField
            {...{ table, entities, field }}
            value={values[field.name]}
            placeholder=""
            isWrong={error !== null}
            autoFocus={place === 0}
            onChange={(value) => setValues({ ...values, [field.name]: value ?? null })}
            onSave={submit}
          />
        </div>
      ))}
      {error && <ServerError error={error} />}
      <div className={styles.buttons}>
        <Button kind="first" small busy={isBusy && 'Saving'} offBecause={offBecause} onClick={() => submit()}>
          {transition.name}
        </Button>
        <Button kind="quiet" small onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </fieldset>
  );
}
