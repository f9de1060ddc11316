import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import type { SettingEntry } from '../../../../contract/admin.ts';
import { allSettings } from '../../../../contract/all-settings.ts';
import type { NumberSetting } from '../../../../contract/setting.ts';
import { Button } from '../../../ui/button.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { bestUnit, readObject, readSpan, readWhole, spanUnits } from './read-value.ts';
import styles from './settings.module.css';

interface ControlProps {
  entry: SettingEntry;
  label: string;
  value: unknown;
  /** The reason why the text is invalid; null for a valid value. */
  wrong: string | null;
  onChange: (value: unknown, wrong: string | null) => void;
}

/** Control of a setting, depending on the kind of its value. */
export function SettingControl(props: ControlProps) {
  const { entry, label, value, onChange } = props;
  const setting = allSettings[entry.key];
  switch (setting?.kind) {
    case 'boolean': {
      const isInverted = setting.row?.isInverted === true;
      return (
        <Switch
          label={label}
          isOn={(value === true) !== isInverted}
          onChange={(isOn) => onChange(isOn !== isInverted, null)}
        />
      );
    }
    case 'choice':
      return (
        <NativeSelect
          className={styles.wide ?? ''}
          aria-label={label}
          data={setting.values.map(String)}
          value={String(value)}
          onChange={(event) => onChange(event.currentTarget.value, null)}
        />
      );
    case 'number': {
      const Control = setting.unit === 'seconds' ? SpanControl : NumberControl;
      return <Control {...props} range={setting.range} />;
    }
    case 'list':
      return <ListControl {...props} />;
    case 'map':
      return <ObjectControl {...props} />;
    default:
      return <TextControl {...props} />;
  }
}

function Wrong({ words }: { words: string | null }) {
  return words === null ? null : (
    <p className={styles.wrong} role="alert">
      {words}
    </p>
  );
}

interface NumberProps extends ControlProps {
  range: NumberSetting['range'];
}

function NumberControl({ range, label, value, wrong, onChange }: NumberProps) {
  const [text, setText] = useState(String(value ?? ''));
  return (
    <div className={styles.stack}>
      <TextInput
        className={styles.number ?? ''}
        aria-label={label}
        aria-invalid={wrong !== null}
        error={wrong !== null}
        inputMode="numeric"
        autoComplete="off"
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          const read = readWhole(currentTarget.value, range);
          onChange(read.value, read.wrong);
        }}
      />
      <Wrong words={wrong} />
    </div>
  );
}

/** Control of a duration, which is stored in seconds. */
function SpanControl({ range, label, value, wrong, onChange }: NumberProps) {
  const [unit, setUnit] = useState(() => bestUnit(Number(value)));
  const [text, setText] = useState(() => String(Number(value) / spanUnits[unit]));
  const read = (nextText: string, nextUnit: keyof typeof spanUnits) => {
    const { value: seconds, wrong: problem } = readSpan(nextText, nextUnit, range);
    onChange(seconds, problem);
  };
  return (
    <div className={styles.stack}>
      <div className={styles.unit}>
        <TextInput
          className={styles.number ?? ''}
          aria-label={label}
          aria-invalid={wrong !== null}
          error={wrong !== null}
          inputMode="decimal"
          autoComplete="off"
          value={text}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value);
            read(currentTarget.value, unit);
          }}
        />
        <NativeSelect
          aria-label={`Unit of ${label}`}
          data={Object.keys(spanUnits)}
          value={unit}
          onChange={({ currentTarget }) => {
            const next = currentTarget.value as keyof typeof spanUnits;
            setUnit(next);
            read(text, next);
          }}
        />
      </div>
      <Wrong words={wrong} />
    </div>
  );
}

function TextControl({ entry, label, value, wrong, onChange }: ControlProps) {
  return (
    <div className={styles.stack}>
      <TextInput
        className={styles.wide ?? ''}
        aria-label={label}
        autoComplete="off"
        spellCheck={false}
        placeholder={entry.default === null || entry.default === '' ? 'none' : String(entry.default)}
        value={String(value ?? '')}
        onChange={({ currentTarget }) => {
          const text = currentTarget.value.trim() === '' ? '' : currentTarget.value;
          onChange(text === '' && entry.default === null ? null : text, null);
        }}
      />
      <Wrong words={wrong} />
    </div>
  );
}

/** Control of a list of texts, with one field for each text. */
function ListControl({ label, value, wrong, onChange }: ControlProps) {
  const [texts, setTexts] = useState<readonly string[]>(() => (Array.isArray(value) ? value.map(String) : []));
  const change = (next: readonly string[]) => {
    setTexts(next);
    onChange(
      next.map((text) => text.trim()).filter((text) => text !== ''),
      null,
    );
  };
  return (
    <div className={styles.stack}>
      {texts.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: only the position in the list identifies a field
        <div key={index} className={styles.item}>
          <TextInput
            className={styles.wide ?? ''}
            aria-label={`${label}, ${index + 1}`}
            autoComplete="off"
            spellCheck={false}
            autoFocus={text === '' && index === texts.length - 1}
            value={text}
            onChange={({ currentTarget }) => change(texts.with(index, currentTarget.value))}
          />
          <Button
            kind="quiet"
            square
            icon={IconX}
            label={`Remove ${text || 'the empty field'}`}
            onClick={() => change(texts.toSpliced(index, 1))}
          />
        </div>
      ))}
      <Wrong words={wrong} />
      <div>
        <Button small icon={IconPlus} aria-label={`Add to ${label}`} onClick={() => setTexts([...texts, ''])}>
          Add
        </Button>
      </div>
    </div>
  );
}

/** Control of an object with texts, as JSON. */
function ObjectControl({ label, value, wrong, onChange }: ControlProps) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  return (
    <div className={styles.stack}>
      <Textarea
        className={styles.wide ?? ''}
        classNames={{ input: styles.code ?? '' }}
        aria-label={label}
        aria-invalid={wrong !== null}
        error={wrong !== null}
        autosize
        minRows={2}
        spellCheck={false}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          const read = readObject(currentTarget.value);
          onChange(read.value, read.wrong);
        }}
      />
      <Wrong words={wrong} />
    </div>
  );
}
