import { type ComponentType, createContext, lazy, type ReactNode, Suspense, use, useId, useState } from 'react';
import type { PortalField } from '../../contract/portal.ts';
import { t } from '../language/messages.ts';
import { code } from '../ui/recovery/code.ts';
import { Segmented } from '../ui/segmented.tsx';
import { timeKind } from './draft.ts';
import styles from './editor.module.css';
import { EnumCombo } from './enum-combo.tsx';
import { acceptedWords } from './file-words.ts';
import { MentionSearchContext, MentionText } from './mention-text.tsx';
import { joined, partsOf, rangeTimeKind } from './range.ts';
import { characters, longest } from './rules.ts';
import { TimeField } from './time-field.tsx';
import type { TimeKind } from './time-notation.ts';
import { members } from './time-words.ts';

const FilesField = lazy(code(() => import('./files-field.tsx').then((all) => ({ default: all.FilesField }))));

/** Maximum number of values that are shown side by side as segments. */
const SEGMENTS = 5;

/** Number of values from which a select is hard to use, so that the field searches them. */
const SEARCHED = 12;

export interface EditorProps {
  field: PortalField;
  value: string | boolean;
  onChange: (value: string | boolean) => void;
  /** Called when the focus leaves the field. */
  onLeave?: () => void;
  /** The reason why the typed value is invalid; null if it is valid. */
  wrong?: string | null;
  /** True if the field is marked as optional, as in the form of a new row. */
  isOptional?: boolean;
  /** Text of an empty field that has no visible label, because the form has only one purpose. */
  bare?: string | undefined;
  /** Label of the row that the field references at present. */
  chosen?: string | null;
}

export interface ReferenceControlProps {
  id: string;
  /** Accessible name, if the field has no visible label. */
  label?: string | undefined;
  field: PortalField;
  value: string;
  /** Label of the chosen row; null if it is unknown. */
  chosen: string | null;
  describedBy: string | undefined;
  isWrong: boolean;
  /** True if a choice acts at once. The arrow keys must then not choose each value on their way, as those of a select do. */
  actsAtOnce?: boolean;
  onChange: (value: string) => void;
}

/**
 * Context with the component that chooses the row of a reference. The console and the portal each provide their own,
 * because they read rows in different ways.
 */
export const ReferenceControlContext = createContext<ComponentType<ReferenceControlProps> | null>(null);

/** Field of a form: its label, a control that fits its type and rules, and a help text or an error. */
export function FieldEditor(props: EditorProps) {
  const { field, value, wrong = null, isOptional = false, bare } = props;
  const id = useId();
  const [help, error] = [`${id}-help`, `${id}-error`];
  const max = longest(field);
  const counts = max !== null && typeof value === 'string' && (field.editor === 'text' || field.editor === 'long text');
  const described = [wrong !== null && error, field.help !== null && help].filter(Boolean).join(' ') || undefined;
  return (
    <div className={styles.field} data-field={field.name} data-beside={field.editor === 'boolean' || undefined}>
      <div className={bare === undefined ? styles.label : 'sr'}>
        {isGroup(field) ? <span id={`${id}-label`}>{field.label}</span> : <label htmlFor={id}>{field.label}</label>}
        <Remark field={field} isOptional={isOptional} />
      </div>
      <Control {...props} id={id} describedBy={described} />
      <div className={styles.below}>
        <div>
          {wrong !== null && (
            <p id={error} className={styles.wrong} role="alert">
              {wrong}
            </p>
          )}
          {field.help !== null && (
            <p id={help} className={bare === undefined ? undefined : 'sr'}>
              <bdi>{field.help}</bdi>
            </p>
          )}
        </div>
        {counts && <span className={styles.count}>{t('count', { count: characters(value), max })}</span>}
      </div>
    </div>
  );
}

function FilesControl({ field, value, onChange, wrong, id, describedBy }: ControlProps) {
  const { name, label, files } = field;
  if (!files) return null;
  return (
    <Suspense>
      <FilesField
        {...{ id, describedBy, onChange }}
        field={{ name, label, files }}
        value={String(value)}
        isWrong={Boolean(wrong)}
      />
    </Suspense>
  );
}

/** What the end of the label's line says: the limits of files, and that the field may be left out. */
function Remark({ field, isOptional }: { field: PortalField; isOptional: boolean }) {
  const parts = [field.files ? acceptedWords(field.files) : null, isOptional ? t('mayBeLeftOut') : null];
  const words = parts.filter((part) => part !== null).join('; ');
  return words === '' ? null : <span className={styles.optional}>{words}</span>;
}

const isGroup = (field: PortalField): boolean =>
  field.editor === 'enum' && !field.nullable && (field.values?.length ?? 0) <= SEGMENTS;

/** A control for a text. A text that had line breaks at first has several lines, because a single line would remove them. */
function TextControl({
  type,
  ...common
}: Omit<React.ComponentProps<'input'>, 'value' | 'onBlur' | 'onChange' | 'ref'> & {
  readonly value: string;
  readonly onBlur?: (() => void) | undefined;
  readonly onChange: (event: { currentTarget: { value: string } }) => void;
}) {
  // The control stays the same while the member types, so that it keeps the focus.
  const [hasLines] = useState(() => common.value.includes('\n'));
  if (!hasLines) return <input {...common} type={type} autoComplete="off" />;
  const { id, className, dir, value, onBlur, onChange, ...aria } = common;
  return (
    <textarea
      {...{ id, className, dir, value, onBlur, onChange }}
      aria-invalid={aria['aria-invalid']}
      aria-describedby={aria['aria-describedby']}
      rows={6}
    />
  );
}

interface ControlProps extends EditorProps {
  id: string;
  describedBy: string | undefined;
}

function Control(props: ControlProps): ReactNode {
  const { field, value, onChange, onLeave, wrong, id, describedBy, chosen = null } = props;
  const Reference = use(ReferenceControlContext);
  const text = typeof value === 'string' ? value : '';
  const common = {
    id,
    className: styles.control,
    // The direction of the text follows the letters that the member types.
    dir: 'auto' as const,
    value: text,
    'aria-invalid': wrong ? true : undefined,
    'aria-describedby': describedBy,
    onBlur: onLeave,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value),
  };
  switch (field.editor) {
    case 'files':
      return <FilesControl {...props} />;
    case 'boolean':
      return (
        <input
          id={id}
          type="checkbox"
          role="switch"
          aria-checked={value === true}
          className={styles.switch}
          checked={value === true}
          aria-describedby={describedBy}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
        />
      );
    case 'enum':
      return <EnumControl {...props} common={common} />;
    case 'member':
    case 'reference':
      if (!Reference) return <TextControl {...common} type="text" />;
      return <Reference {...{ id, field, value: text, chosen, describedBy, onChange }} isWrong={Boolean(wrong)} />;
    case 'long text':
      return <LongText {...props} common={common} />;
    case 'json':
      return <textarea {...common} rows={6} spellCheck={false} data-mono />;
    case 'array':
      return <textarea {...common} rows={3} placeholder={t('oneValueALine')} />;
    case 'number':
    case 'money':
      return <input {...common} inputMode="decimal" data-number autoComplete="off" />;
    case 'date':
    case 'date and time':
      return <DateControl {...{ field, id, describedBy, onChange, onLeave, text }} isWrong={Boolean(wrong)} />;
    case 'time':
      return <input {...common} type="time" />;
    default:
      return field.range ? (
        <RangeControl {...{ field, id, describedBy, onChange, onLeave, text }} isWrong={Boolean(wrong)} />
      ) : (
        <TextControl {...common} type={inputType(field.name)} />
      );
  }
}

/** Chooses a value of a list: side by side, in a select, or by a search. */
function EnumControl({
  field,
  onChange,
  onLeave,
  wrong,
  id,
  describedBy,
  common,
}: ControlProps & { common: React.ComponentProps<'select'> & { readonly value: string } }) {
  if ((field.values?.length ?? 0) >= SEARCHED) {
    return (
      <EnumCombo
        {...{ id, field, describedBy, onChange, onLeave }}
        className={styles.control}
        value={common.value}
        isWrong={Boolean(wrong)}
      />
    );
  }
  return isGroup(field) ? (
    <Segmented
      label={field.label}
      value={common.value}
      options={(field.values ?? []).map((one) => [one.value, one.label] as const)}
      onChange={onChange}
    />
  ) : (
    <select {...common}>
      <option value="">–</option>
      {field.values?.map((one) => (
        <option key={one.value} value={one.value}>
          {one.label}
        </option>
      ))}
    </select>
  );
}

/** Text of several lines, which lists names after an @ if the app notifies of mentions in it. */
function LongText({
  field,
  bare,
  describedBy,
  wrong,
  onChange,
  onLeave,
  common,
}: ControlProps & { common: { id: string; className: string | undefined; value: string } }) {
  const search = use(MentionSearchContext);
  const rows = bare === undefined ? 6 : 3;
  if (!search || !field.mentions) return <textarea {...common} rows={rows} placeholder={bare} />;
  const { id, className, value } = common;
  const isWrong = Boolean(wrong);
  return (
    <MentionText
      {...{ id, className, value, rows, isWrong, describedBy, search, onChange, onLeave }}
      placeholder={bare}
    />
  );
}

/** Two fields for the first and the last value of a range. */
function RangeControl({ field, id, text, describedBy, isWrong, onChange, onLeave }: DateControlProps) {
  const [from, to] = partsOf(text);
  const kind = rangeTimeKind(field.range ?? 'date');
  const parts = [
    {
      part: 'from',
      label: t('rangeFirst', { field: field.label }),
      value: from,
      set: (next: string) => joined(next, to),
    },
    { part: 'to', label: t('rangeLast', { field: field.label }), value: to, set: (next: string) => joined(from, next) },
  ];
  return (
    <div className={styles.range}>
      {parts.map(({ part, label, value, set }, i) => {
        const own = { id: i === 0 ? id : `${id}-${part}`, describedBy, isWrong };
        const change = (next: string) => onChange(set(next));
        return kind === null ? (
          <input
            key={part}
            id={own.id}
            className={styles.control}
            aria-label={label}
            aria-describedby={describedBy}
            aria-invalid={isWrong || undefined}
            inputMode="decimal"
            value={value}
            onBlur={onLeave}
            onChange={({ currentTarget }) => change(currentTarget.value)}
          />
        ) : (
          <TimeControl key={part} {...own} label={label} kind={kind} text={value} onText={change} onLeave={onLeave} />
        );
      })}
    </div>
  );
}

/** Text field for a date or time. When the focus leaves it, words such as "tomorrow" become the date that they mean. */
function DateControl({ field, onChange, ...control }: DateControlProps) {
  return <TimeControl {...control} kind={timeKind(field) ?? 'date'} onText={onChange} />;
}

interface DateControlProps extends Pick<EditorProps, 'field' | 'onChange'> {
  onLeave: (() => void) | undefined;
  id: string;
  text: string;
  describedBy: string | undefined;
  isWrong: boolean;
}

function TimeControl({
  onLeave,
  ...control
}: Pick<DateControlProps, 'id' | 'text' | 'describedBy' | 'isWrong' | 'onLeave'> & {
  label?: string;
  kind: TimeKind;
  onText: (text: string) => void;
}) {
  const { text, kind, onText } = control;
  return (
    <TimeField
      isPopup
      {...control}
      className={styles.control}
      notation={members}
      onLeave={() => {
        const read = members.read(text, new Date());
        if (read) onText(members.show(read.time, kind));
        onLeave?.();
      }}
    />
  );
}

/** Returns the input type, which decides the keyboard of a phone. The value is validated by the rules, not by the browser. */
const inputType = (name: string): string =>
  /phone/i.test(name) ? 'tel' : /url|link|website/i.test(name) ? 'url' : 'text';
