import { TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { Entity, Field } from '../../../../../contract/specification-entities.ts';
import { Button } from '../../../../ui/button.tsx';
import { listed, shortId } from '../../../format/format.ts';
import { Conditions, filterWords } from './conditions.tsx';
import type { ScreenDefinition } from './definitions.ts';
import { actionKey } from './definitions-sql.ts';
import styles from './editor.module.css';
import type { EditorContext } from './editor-context.ts';
import { timesOf } from './entity-fields.ts';
import { Option, Row } from './option.tsx';
import { moved, type OrderedItem, OrderedList } from './ordered-list.tsx';
import { directionWords, parseSort, termOf, writeSort } from './sort-text.ts';
import { LabelFields } from './text-options.tsx';

interface OptionProps {
  editor: EditorContext;
  item: ScreenDefinition;
  entity: Entity;
}

/** Which rows a screen shows. */
export const FilterOption = ({ editor, item: { filter }, entity: { fields } }: OptionProps) => (
  <Option name="Filter" value={filterWords(filter, fields)} faults={editor.faultsOf('filter')}>
    <Conditions
      {...{ filter, fields }}
      onChange={(to, typed) => editor.state.set({ filter: to }, typed && `filter ${typed}`)}
    />
  </Option>
);

/** In which order a screen shows its rows. */
export const SortOption = ({ editor, item: { orderBy }, entity: { fields } }: OptionProps) => (
  <Option name="Sort" value={sortWords(orderBy, fields)} faults={editor.faultsOf('sort')}>
    <SortTerms order={orderBy} fields={fields} onChange={(to) => editor.state.set({ orderBy: to })} />
  </Option>
);

/** Describes an order in short: "created_at newest first, then id". Pure. */
function sortWords(order: string, fields: readonly Field[]): string {
  const terms = parseSort(order, fields).map(({ text, field, isDescending }) =>
    field === null
      ? text
      : `${field} ${directionWords(fields.find(({ name }) => name === field))[isDescending ? 1 : 0]}`,
  );
  return terms.length === 0 ? 'no order' : terms.join(', then ');
}

/** The terms of an order. */
export function SortTerms({
  order,
  fields,
  onChange,
}: {
  order: string;
  fields: readonly Field[];
  onChange: (order: string) => void;
}) {
  const terms = parseSort(order, fields);
  const free = fields.filter(({ name }) => !terms.some(({ field }) => field === name));
  const lineOf = (term: (typeof terms)[number], place: number): OrderedItem => {
    const words = directionWords(fields.find(({ name }) => name === term.field));
    const name = term.field ?? term.text;
    return {
      ...{ id: name, name },
      content: (
        <>
          <span className="cut">{term.field ?? <code>{term.text}</code>}</span>
          <span className={styles.lineTools}>
            {term.field !== null && (
              <select
                className={styles.select}
                aria-label={`Direction of ${name}`}
                value={term.isDescending ? 'desc' : 'asc'}
                onChange={({ currentTarget: { value } }) =>
                  onChange(writeSort(terms.map((one, at) => (at === place ? termOf(name, value === 'desc') : one))))
                }
              >
                <option value="asc">{words[0]}</option>
                <option value="desc">{words[1]}</option>
              </select>
            )}
            <Button
              small
              square
              kind="quiet"
              icon={IconX}
              label={`Do not sort by ${name}`}
              onClick={() => onChange(writeSort(terms.filter((_, at) => at !== place)))}
            />
          </span>
        </>
      ),
    };
  };
  return (
    <>
      <OrderedList
        label="Order of the rows"
        items={terms.map(lineOf)}
        onMove={(from, to) => onChange(writeSort(moved(terms, from, to)))}
      />
      <AddSelect
        label="Add a field to sort by"
        options={free.map(({ name }) => [name, name])}
        onAdd={(name) => onChange(writeSort([...terms, termOf(name, false)]))}
      />
    </>
  );
}

/** Choice that looks like a button and adds the chosen item. */
export const AddSelect = ({
  label,
  options,
  onAdd,
}: {
  label: string;
  options: readonly (readonly [value: string, words: string])[];
  onAdd: (value: string) => void;
}) =>
  options.length === 0 ? null : (
    <span className={styles.add}>
      <IconPlus size={14} stroke={1.5} aria-hidden="true" />
      <select
        className={styles.quietSelect}
        aria-label={label}
        value=""
        onChange={({ currentTarget }) => onAdd(currentTarget.value)}
      >
        <option value="">{label}</option>
        {options.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </span>
  );

/** A choice of one field, or none. */
export const FieldSelect = ({
  label,
  value,
  fields,
  none,
  onChange,
}: {
  label: string;
  value: string;
  fields: readonly Field[];
  /** Words for no field. */
  none: string;
  onChange: (name: string) => void;
}) => (
  <Row label={label}>
    <select className={styles.select} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      <option value="">{none}</option>
      {value !== '' && !fields.some(({ name }) => name === value) && <option value={value}>{value}</option>}
      {fields.map(({ name }) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  </Row>
);

/** By which field a list groups its rows. */
export const GroupOption = ({ editor, item: { groupBy }, entity: { fields } }: OptionProps) => (
  <Option name="Group" value={groupBy || 'none'} faults={editor.faultsOf('group')}>
    <FieldSelect
      label="Group by"
      value={groupBy}
      fields={fields}
      none="nothing"
      onChange={(name) => editor.state.set({ groupBy: name })}
    />
  </Option>
);

/** The fields of a calendar with the start and the end of a row. */
export const CalendarOption = ({ editor, item: { starts, ends }, entity }: OptionProps) => (
  <Option
    name="Start and end"
    value={starts === '' ? 'by their names' : `${starts} to ${ends}`}
    faults={editor.faultsOf('calendar')}
  >
    <FieldSelect
      label="Start"
      value={starts}
      fields={timesOf(entity)}
      none="by its name"
      onChange={(name) => editor.state.set({ starts: name, ...(name === '' && { ends: '' }) })}
    />
    <FieldSelect
      label="End"
      value={ends}
      fields={timesOf(entity)}
      none="by its name"
      onChange={(name) => editor.state.set({ ends: name, ...(name === '' && { starts: '' }) })}
    />
  </Option>
);

/** The field of a gallery with the picture of a row. */
export const PictureOption = ({ editor, item: { picture }, entity: { fields } }: OptionProps) => (
  <Option name="Picture" value={picture || 'the first field with files'} faults={editor.faultsOf('picture')}>
    <FieldSelect
      label="Picture"
      value={picture}
      fields={fields.filter(({ files }) => files !== undefined)}
      none="the first field with files"
      onChange={(name) => editor.state.set({ picture: name })}
    />
  </Option>
);

/** The entities whose rows a detail lists below the row. */
export function RelatedOption({
  editor,
  item: { related },
  referring,
}: OptionProps & {
  /** Ids of the entities that refer to the entity of the screen. */
  referring: readonly string[];
}) {
  const chosen = related ?? referring;
  const set = (ids: readonly string[]) => editor.state.set({ related: ids.length === 0 ? null : ids });
  return (
    <Option
      name="Related lists"
      value={related ? listed(related.map(shortId)) : 'all that refer to the row'}
      faults={editor.faultsOf('related')}
    >
      <OrderedList
        label="Related lists in their order"
        items={chosen.map((id) => ({
          ...{ id, name: shortId(id) },
          content: (
            <>
              <span className="cut">{shortId(id)}</span>
              <Button
                small
                square
                kind="quiet"
                icon={IconX}
                label={`Leave out ${shortId(id)}`}
                offBecause={chosen.length === 1 ? 'A definition without lists shows all of them.' : null}
                onClick={() => set(chosen.filter((one) => one !== id))}
              />
            </>
          ),
        }))}
        onMove={(from, to) => set(moved(chosen, from, to))}
      />
      <AddSelect
        label="Add a list"
        options={referring.filter((id) => !chosen.includes(id)).map((id) => [id, shortId(id)])}
        onAdd={(id) => set([...chosen, id])}
      />
      {related && (
        <Button small kind="quiet" onClick={() => editor.state.set({ related: null })}>
          Show all that refer to the row
        </Button>
      )}
    </Option>
  );
}

/** The functions that a screen offers as buttons. */
export function ActionsOption({ editor, item: { actions } }: OptionProps) {
  const set = (ids: readonly string[]) => editor.state.set({ actions: ids });
  return (
    <Option
      name="Actions"
      value={actions.length === 0 ? 'none' : listed(actions.map(shortId))}
      faults={editor.faultsOf('actions')}
    >
      <OrderedList
        label="Actions in their order"
        items={actions.map((id) => ({
          ...{ id, name: shortId(id) },
          content: (
            <>
              <code className="cut">{shortId(id)}()</code>
              <Button
                small
                square
                kind="quiet"
                icon={IconX}
                label={`Remove ${shortId(id)}`}
                onClick={() => set(actions.filter((one) => one !== id))}
              />
            </>
          ),
          details: (
            <div className={styles.details}>
              <LabelFields editor={editor} labelKey={actionKey(id)} />
            </div>
          ),
        }))}
        onMove={(from, to) => set(moved(actions, from, to))}
      />
      {editor.functions.length === 0 ? (
        <p className={styles.note}>Members may call no function yet. Create one, and grant execute on it.</p>
      ) : (
        <AddSelect
          label="Add action"
          options={editor.functions.filter((id) => !actions.includes(id)).map((id) => [id, `${shortId(id)}()`])}
          onAdd={(id) => set([...actions, id])}
        />
      )}
    </Option>
  );
}

/** A number that can be empty. */
export const PlaceInput = ({ value, onChange }: { value: number | null; onChange: (place: number | null) => void }) => (
  <TextInput
    aria-label="Place in the menu"
    inputMode="numeric"
    placeholder="after the others"
    value={value === null ? '' : String(value)}
    onChange={({ currentTarget: { value: text } }) => {
      if (/^\d{0,6}$/.test(text)) onChange(text === '' ? null : Number(text));
    }}
  />
);
