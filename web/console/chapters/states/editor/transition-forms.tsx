import { NativeSelect, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { Field } from '../../../../../contract/specification-entities.ts';
import { Button } from '../../../../ui/button.tsx';
import { FormSection } from '../../../migrations/form-section.tsx';
import styles from './editor.module.css';
import type { TransitionDesign } from './machine-design.ts';
import type { MachineState } from './use-machine.ts';

interface FormsProps {
  state: MachineState;
  /** The state whose transitions come first. */
  chosen: string | null;
  roles: readonly string[];
  fields: readonly Field[];
}

/** The transitions of the form as sentences. Those from and to the chosen state come first. */
export function TransitionForms({ state, chosen, roles, fields }: FormsProps) {
  const { transitions } = state.design;
  const touches = ({ from, to }: TransitionDesign) => to === chosen || from === null || from.includes(chosen ?? '');
  const first = transitions.filter(touches);
  const others = transitions.filter((one) => !touches(one));
  return (
    <>
      <FormSection title={chosen === null ? 'Transitions' : `Transitions of ${chosen}`}>
        {first.length === 0 && <p className={styles.note}>None yet. Draw one from the state.</p>}
        {first.map((one) => (
          <TransitionForm key={one.key} {...{ state, roles, fields }} transition={one} />
        ))}
      </FormSection>
      {others.length > 0 && (
        <FormSection title="Other transitions">
          {others.map((one) => (
            <TransitionForm key={one.key} {...{ state, roles, fields }} transition={one} />
          ))}
        </FormSection>
      )}
    </>
  );
}

/** Form of one transition: its name, the states, who may make it, the condition, and the fields that it needs and sets. */
function TransitionForm({
  state,
  transition,
  roles,
  fields,
}: Pick<FormsProps, 'state' | 'roles' | 'fields'> & { transition: TransitionDesign }) {
  const { key, name, from, to, when, requires } = transition;
  const { states, field } = state.design;
  const set = (part: Partial<TransitionDesign>) => state.setTransition(key, part);
  const named = name || 'the new transition';
  const others = fields.filter((one) => one.name !== field).map((one) => one.name);
  return (
    <fieldset className={styles.transition} aria-label={`Transition ${named}`}>
      <div className={styles.line}>
        <TextInput
          label="Name of the transition"
          value={name}
          placeholder="confirm"
          autoComplete="off"
          spellCheck={false}
          autoFocus={name === ''}
          onChange={({ currentTarget }) => set({ name: currentTarget.value })}
        />
        <NativeSelect
          label="To"
          value={to}
          data={[...states]}
          onChange={({ currentTarget }) => set({ to: currentTarget.value })}
        />
        <Button
          small
          kind="quiet"
          icon={IconX}
          label={`Remove ${named}`}
          square
          onClick={() => state.removeTransition(key)}
        />
      </div>
      <Choices
        label="From"
        all="any state"
        options={states}
        chosen={from}
        onChange={(chosen) => set({ from: chosen })}
      />
      <Choices
        label="May be made by"
        all="everyone who may change the row"
        options={roles}
        chosen={transition.roles}
        onChange={(chosen) => set({ roles: chosen })}
      />
      <Choices
        label="Requires"
        all={null}
        options={others}
        chosen={requires}
        onChange={(chosen) => set({ requires: chosen ?? [] })}
      />
      <TextInput
        label="Only when (SQL over the row)"
        value={when}
        placeholder="member = auth.uid()"
        autoComplete="off"
        spellCheck={false}
        classNames={{ input: styles.mono ?? '' }}
        onChange={({ currentTarget }) => set({ when: currentTarget.value })}
      />
      <Sets {...{ transition, others }} onChange={(sets) => set({ sets })} />
    </fieldset>
  );
}

/** Names that can be chosen, with a choice that stands for all of them. */
function Choices({
  label,
  all,
  options,
  chosen,
  onChange,
}: {
  label: string;
  /** Words for no limit; null if nothing is chosen then. */
  all: string | null;
  options: readonly string[];
  chosen: readonly string[] | null;
  onChange: (chosen: readonly string[] | null) => void;
}) {
  const listed = [...options, ...(chosen ?? []).filter((name) => !options.includes(name))];
  if (listed.length === 0 && all === null) return null;
  return (
    <fieldset className={styles.choices} aria-label={label}>
      <span>{label}</span>
      {all !== null && (
        <label>
          <input type="checkbox" checked={chosen === null} onChange={() => onChange(chosen === null ? [] : null)} />
          {all}
        </label>
      )}
      {(all === null || chosen !== null) &&
        listed.map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={chosen?.includes(name) ?? false}
              onChange={({ currentTarget: { checked } }) =>
                onChange(checked ? [...(chosen ?? []), name] : (chosen ?? []).filter((one) => one !== name))
              }
            />
            {name}
          </label>
        ))}
    </fieldset>
  );
}

/** The fields that a transition sets, each with the SQL of its value. */
function Sets({
  transition: { sets },
  others,
  onChange,
}: {
  transition: TransitionDesign;
  others: readonly string[];
  onChange: (sets: TransitionDesign['sets']) => void;
}) {
  const free = others.filter((name) => !sets.some(({ field }) => field === name));
  return (
    <div className={styles.sets}>
      {sets.map(({ field, sql }) => (
        <div key={field} className={styles.line}>
          <TextInput
            label={`Sets ${field} to (SQL)`}
            value={sql}
            autoComplete="off"
            spellCheck={false}
            classNames={{ input: styles.mono ?? '' }}
            onChange={({ currentTarget }) =>
              onChange(sets.map((one) => (one.field === field ? { field, sql: currentTarget.value } : one)))
            }
          />
          <Button
            small
            kind="quiet"
            square
            icon={IconX}
            label={`Do not set ${field}`}
            onClick={() => onChange(sets.filter((one) => one.field !== field))}
          />
        </div>
      ))}
      {free.length > 0 && (
        <NativeSelect
          label="Sets"
          value=""
          data={[{ value: '', label: 'no further field' }, ...free]}
          onChange={({ currentTarget }) =>
            currentTarget.value !== '' && onChange([...sets, { field: currentTarget.value, sql: 'now()' }])
          }
        />
      )}
    </div>
  );
}
