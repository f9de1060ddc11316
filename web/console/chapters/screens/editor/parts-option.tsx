import { Textarea, TextInput } from '@mantine/core';
import {
  IconChartBar,
  IconChartLine,
  IconClick,
  IconListDetails,
  IconNumber,
  IconTextCaption,
  IconTrash,
  type Icon as TablerIcon,
} from '@tabler/icons-react';
import { useState } from 'react';
import type { PagePart, PartValue } from '../../../../../contract/description.ts';
import { limits } from '../../../../../contract/limits.ts';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { Button } from '../../../../ui/button.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { shortId } from '../../../format/format.ts';
import { Conditions } from './conditions.tsx';
import type { PageDefinition } from './definitions.ts';
import styles from './editor.module.css';
import type { EditorContext } from './editor-context.ts';
import { groupFields, numbersOf, timesOf } from './entity-fields.ts';
import { Option, Row } from './option.tsx';
import { moved, OrderedList } from './ordered-list.tsx';
import { computedValue, newPart, partKinds, partSentence, type RowsPart, withoutEmpty } from './part-design.ts';
import { AddSelect, FieldSelect, SortTerms } from './rows-options.tsx';
import { ByLanguage } from './text-options.tsx';

const { default: maxParts } = limits.pageParts;
const { default: maxRows } = limits.pageListRows;

const icons: Readonly<Record<PagePart['kind'], TablerIcon>> = {
  text: IconTextCaption,
  buttons: IconClick,
  number: IconNumber,
  bars: IconChartBar,
  line: IconChartLine,
  list: IconListDetails,
};

/** The parts of a page in their order. */
export function PartsOption({ editor, item: { parts } }: { editor: EditorContext; item: PageDefinition }) {
  const [open, setOpen] = useState<number | null>(parts.length === 1 ? 0 : null);
  const exposed = editor.entities.filter((entity) => entity.exposed);
  const set = (next: readonly PagePart[], typed?: string) => editor.state.set({ parts: next }, typed);
  return (
    <Option name="Parts" value={parts.length} faults={editor.faultsOf('parts')} isOpenAtFirst>
      <OrderedList
        label="Parts in their order"
        items={parts.map((part, place) => ({
          // A part has no other identity than its place.
          ...{ id: String(place), name: partName(part) },
          look: open === place ? 'chosen' : undefined,
          content: (
            <button
              type="button"
              className={styles.partName}
              aria-expanded={open === place}
              onClick={() => setOpen(open === place ? null : place)}
            >
              <Icon of={icons[part.kind]} small />
              <span className="cut">{partName(part)}</span>
            </button>
          ),
          details: open === place && (
            <PartDetails
              {...{ editor, part, exposed }}
              onChange={(to, typed) =>
                set(
                  parts.map((one, at) => (at === place ? withoutEmpty(to) : one)),
                  typed && `part ${place} ${typed}`,
                )
              }
              onRemove={() => {
                setOpen(null);
                set(parts.filter((_, at) => at !== place));
              }}
            />
          ),
        }))}
        onMove={(from, to) => {
          setOpen(open === from ? to : null);
          set(moved(parts, from, to));
        }}
      />
      {parts.length < maxParts && (
        <AddSelect
          label="Add part"
          options={partKinds}
          onAdd={(kind) => {
            set([...parts, newPart(kind as PagePart['kind'], exposed)]);
            setOpen(parts.length);
          }}
        />
      )}
    </Option>
  );
}

const partName = (part: PagePart): string => {
  const [, word] = partKinds.find(([kind]) => kind === part.kind) ?? [];
  const title =
    part.kind === 'text' ? part.text.replaceAll(/[#*_\n]+/g, ' ').trim() : part.kind === 'buttons' ? '' : part.title;
  return title === '' ? (word ?? part.kind) : title;
};

interface PartProps<P extends PagePart = PagePart> {
  editor: EditorContext;
  part: P;
  /** The entities that clients can reach. */
  exposed: readonly Entity[];
  onChange: (part: P, typed?: string) => void;
}

/** The options of one part, and the sentence that says what it shows. */
function PartDetails({ onRemove, ...props }: PartProps & { onRemove: () => void }) {
  const { part, editor } = props;
  return (
    <div className={styles.details}>
      <p className={styles.sentence}>{partSentence(part, editor.entities)}</p>
      {part.kind === 'text' ? (
        <TextPart {...props} part={part} />
      ) : part.kind === 'buttons' ? (
        <ButtonsPart {...props} part={part} />
      ) : (
        <RowsPartFields {...props} part={part} />
      )}
      <Button small kind="quiet" icon={IconTrash} onClick={onRemove}>
        Remove part
      </Button>
    </div>
  );
}

function TextPart({ editor, part, onChange }: PartProps<Extract<PagePart, { kind: 'text' }>>) {
  return (
    <>
      <Textarea
        aria-label="Text in Markdown"
        rows={6}
        value={part.text}
        placeholder={'## Welcome\n\nLook at the timetable.'}
        onChange={({ currentTarget }) => onChange({ ...part, text: currentTarget.value }, 'text')}
      />
      <ByLanguage
        editor={editor}
        what="Text"
        isLong
        textOf={(tag) => part.texts?.[tag] ?? ''}
        onText={(tag, text) => onChange({ ...part, texts: withText(part.texts, tag, text) }, tag)}
      />
    </>
  );
}

/** Returns the texts with another text in one language; without it if it is empty. */
export function withText(
  texts: Readonly<Record<string, string>> | undefined,
  tag: string,
  text: string,
): Record<string, string> {
  const { [tag]: _, ...others } = texts ?? {};
  return text === '' ? others : { ...others, [tag]: text };
}

function ButtonsPart({ editor, part, onChange }: PartProps<Extract<PagePart, { kind: 'buttons' }>>) {
  const { chapter } = editor;
  const links: (readonly [string, string])[] = [
    ...[...(chapter.pages ?? []), ...chapter.screens.filter(({ route }) => !route.includes(':'))].map(
      ({ route, title }) => [route, `${title} (${route})`] as const,
    ),
    ['/account/sign-up', 'Create an account'],
    ['/account/sign-in', 'Sign in'],
  ];
  return (
    <>
      <OrderedList
        label="Buttons in their order"
        items={part.routes.map((route) => ({
          ...{ id: route, name: route },
          content: (
            <>
              <code className="cut">{route}</code>
              <Button
                small
                square
                kind="quiet"
                icon={IconTrash}
                label={`Remove the button to ${route}`}
                onClick={() => onChange({ ...part, routes: part.routes.filter((one) => one !== route) })}
              />
            </>
          ),
        }))}
        onMove={(from, to) => onChange({ ...part, routes: moved(part.routes, from, to) })}
      />
      <AddSelect
        label="Add button"
        options={links.filter(([route]) => !part.routes.includes(route))}
        onAdd={(route) => onChange({ ...part, routes: [...part.routes, route] })}
      />
    </>
  );
}

function RowsPartFields(props: PartProps<RowsPart>) {
  const { editor, part, exposed, onChange } = props;
  const entity = exposed.find(({ id }) => id === part.entity);
  const fields = entity?.fields ?? [];
  return (
    <>
      <Row label="Title">
        <TextInput
          value={part.title}
          autoComplete="off"
          onChange={({ currentTarget }) => onChange({ ...part, title: currentTarget.value }, 'title')}
        />
      </Row>
      <ByLanguage
        editor={editor}
        what="Title"
        textOf={(tag) => part.titles?.[tag] ?? ''}
        onText={(tag, text) => onChange({ ...part, titles: withText(part.titles, tag, text) }, tag)}
      />
      <Row label="Rows of">
        <select
          className={styles.select}
          value={part.entity}
          onChange={({ currentTarget: { value } }) => {
            const chosen = exposed.filter(({ id }) => id === value);
            const { title, titles } = part;
            onChange({ ...(newPart(part.kind, chosen) as RowsPart), title, ...(titles && { titles }) });
          }}
        >
          {!entity && <option value={part.entity}>{shortId(part.entity) || 'Choose a table'}</option>}
          {exposed.map(({ id }) => (
            <option key={id} value={id}>
              {shortId(id)}
            </option>
          ))}
        </select>
      </Row>
      {entity && part.kind !== 'list' && <ValueFields {...props} part={part} entity={entity} />}
      {entity && part.kind === 'list' && <ListFields {...props} part={part} entity={entity} />}
      <h3 className={styles.small}>Only rows where</h3>
      <Conditions
        filter={part.filter ?? ''}
        fields={fields}
        onChange={(filter, typed) => onChange({ ...part, filter }, typed)}
      />
    </>
  );
}

const values: readonly (readonly [PartValue['value'], string])[] = [
  ['count', 'how many rows'],
  ['sum', 'the sum of'],
  ['avg', 'the average of'],
  ['min', 'the lowest'],
  ['max', 'the highest'],
];

/** Chooses the value that a number, bars or a line compute. */
function ValueFields({ part, entity, onChange }: PartProps<Exclude<RowsPart, { kind: 'list' }>> & { entity: Entity }) {
  const numbers = numbersOf(entity);
  const times = timesOf(entity);
  const { over, by } = { over: '', by: '', ...part };
  return (
    <>
      <Row label="Shows">
        <select
          className={styles.select}
          value={computedValue(part)}
          onChange={({ currentTarget }) => {
            const value = currentTarget.value as PartValue['value'];
            const { of: _, ...rest } = part;
            const [first] = numbers;
            onChange(value === 'count' || !first ? { ...rest, value } : { ...rest, value, of: part.of ?? first.name });
          }}
        >
          {values
            .filter(([value]) => value === 'count' || numbers.length > 0)
            .map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
        </select>
      </Row>
      {computedValue(part) !== 'count' && (
        <FieldSelect
          label="Of"
          value={part.of ?? ''}
          fields={numbers}
          none="Choose a field"
          onChange={(of) => onChange({ ...part, of })}
        />
      )}
      {part.kind !== 'number' && (
        <FieldSelect
          label={part.kind === 'bars' ? 'A bar for each' : 'A line for each'}
          value={by}
          fields={groupFields(entity)}
          none={part.kind === 'bars' ? 'Choose a field' : 'one line'}
          onChange={(name) => onChange({ ...part, by: name })}
        />
      )}
      {part.kind !== 'bars' && (
        <FieldSelect
          label={part.kind === 'line' ? 'Over time by' : 'In the period by'}
          value={over}
          fields={times}
          none={part.kind === 'line' ? 'Choose a time' : 'all time'}
          onChange={(name) => onChange({ ...part, over: name })}
        />
      )}
    </>
  );
}

/** The fields, the order and the number of rows of a list in a page. */
function ListFields({ part, entity, onChange }: PartProps<Extract<RowsPart, { kind: 'list' }>> & { entity: Entity }) {
  const chosen = part.columns ?? [];
  return (
    <>
      <Row label="Rows">
        <TextInput
          inputMode="numeric"
          value={part.rows === undefined ? '' : String(part.rows)}
          placeholder="5"
          onChange={({ currentTarget: { value } }) => {
            const { rows: _, ...rest } = part;
            const rows = Math.min(maxRows, Number(value));
            onChange(/^[1-9]\d?$/.test(value) ? { ...rest, rows } : rest, 'rows');
          }}
        />
      </Row>
      <h3 className={styles.small}>Fields{chosen.length === 0 && ', the first ones'}</h3>
      <OrderedList
        label="Fields of the list"
        items={chosen.map((name) => ({
          ...{ id: name, name },
          content: (
            <>
              <span className="cut">{name}</span>
              <Button
                small
                square
                kind="quiet"
                icon={IconTrash}
                label={`Leave out ${name}`}
                onClick={() => onChange({ ...part, columns: chosen.filter((one) => one !== name) })}
              />
            </>
          ),
        }))}
        onMove={(from, to) => onChange({ ...part, columns: moved(chosen, from, to) })}
      />
      <AddSelect
        label="Add field"
        options={entity.fields.filter(({ name }) => !chosen.includes(name)).map(({ name }) => [name, name])}
        onAdd={(name) => onChange({ ...part, columns: [...chosen, name] })}
      />
      <h3 className={styles.small}>Order</h3>
      <SortTerms
        order={part.order_by ?? ''}
        fields={entity.fields}
        onChange={(order) => onChange({ ...part, order_by: order })}
      />
    </>
  );
}
