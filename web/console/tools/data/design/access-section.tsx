import { IconPlus, IconX } from '@tabler/icons-react';
import { cellCondition } from '../../../../../contract/cell-condition.ts';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { Button } from '../../../../ui/button.tsx';
import {
  accessTemplates,
  type ConditionChoice,
  conditionChoices,
  everyone,
  members,
  type RowsChoice,
  rowsChoices,
  sameRows,
} from './access-sentence.ts';
import styles from './design.module.css';
import { type Sentence, type Verb, verbs } from './table-design.ts';
import type { DesignState } from './use-design.ts';

/** Shows the access to a table in sentences, each of which becomes one policy. A table without any sentence refuses every request. */
export function AccessSection({
  state,
  entities,
  roles,
}: {
  state: DesignState;
  entities: readonly Entity[];
  /** The roles of members. */
  roles: readonly string[];
}) {
  const { design, set } = state;
  const choices = rowsChoices(design, entities);
  const conditions = conditionChoices(design, entities);
  const { policies, sentences, rowLevelSecurity } = design;
  const isClosed = rowLevelSecurity && policies.length === 0 && sentences.length === 0;
  return (
    <section className={styles.section} aria-labelledby="design-access">
      <div className={styles.head}>
        <h2 id="design-access">Access</h2>
        <span className={styles.aside}>
          {rowLevelSecurity
            ? 'row-level security is on; what no sentence allows is refused'
            : 'row-level security is off; privileges alone decide'}
        </span>
        <span className={styles.tools}>
          {!rowLevelSecurity && (
            <Button small onClick={() => set({ rowLevelSecurity: true })}>
              Turn on row-level security
            </Button>
          )}
          <Button small icon={IconPlus} onClick={() => state.addSentences()}>
            Add sentence
          </Button>
        </span>
      </div>
      {policies.map((policy) => (
        <div key={policy.name} className={styles.sentence}>
          <b>{policy.roles.map((role) => roleWords[role] ?? role).join(', ')}</b>
          <span className={styles.words}>
            {verbs[policy.command]} rows {cellCondition(policy.words)}
            {!policy.permissive && ', and no other rows'}
            <span className={styles.policy}>{policy.name}</span>
          </span>
          <Button
            small
            square
            kind="quiet"
            icon={IconX}
            label={`Remove the policy ${policy.name}`}
            onClick={() => set({ policies: policies.filter(({ name }) => name !== policy.name) })}
          />
        </div>
      ))}
      {sentences.map((sentence) => (
        <SentenceRow
          key={sentence.key}
          sentence={sentence}
          choices={choices}
          conditions={conditions}
          roles={roles}
          onChange={(part) => state.setSentence(sentence.key, part)}
          onRemove={() => state.removeSentence(sentence.key)}
        />
      ))}
      {isClosed && (
        <p className={styles.closed}>No sentence yet. Only the secret key and the console reach the rows.</p>
      )}
      <div className={styles.templates}>
        <span className="soft">Templates</span>
        {accessTemplates(design, roles).map(({ name, offBecause, sentences: added }) => (
          <Button key={name} small offBecause={offBecause} onClick={() => state.addSentences(added())}>
            {name}
          </Button>
        ))}
      </div>
    </section>
  );
}

const roleWords: Readonly<Record<string, string>> = { authenticated: members, anon: 'anonymous', public: everyone };

/** A new sentence: role, verb, rows. Each blue word opens its choices. */
function SentenceRow({
  sentence,
  choices,
  conditions,
  roles,
  onChange,
  onRemove,
}: {
  sentence: Sentence;
  choices: readonly RowsChoice[];
  conditions: readonly ConditionChoice[];
  roles: readonly string[];
  onChange: (part: Partial<Sentence>) => void;
  onRemove: () => void;
}) {
  const { who, verb, rows } = sentence;
  const place = choices.findIndex((choice) => sameRows(choice.rows, rows));
  return (
    <div className={styles.sentence}>
      <Word
        label="Who"
        value={who}
        options={[everyone, members, ...roles].map((name) => [name, name])}
        onChange={(value) => onChange({ who: value })}
      />
      <span className={styles.words}>
        <Word
          label="May do what"
          value={verb}
          options={Object.entries(verbs)}
          onChange={(value) => onChange({ verb: value as Verb })}
        />{' '}
        <Word
          label="With which rows"
          value={String(Math.max(0, place))}
          options={choices.map(({ words }, index) => [String(index), words])}
          onChange={(value) => onChange({ rows: choices[Number(value)]?.rows ?? { kind: 'every' } })}
        />{' '}
        <ConditionWords sentence={sentence} conditions={conditions} onChange={onChange} />
      </span>
      <Button small square kind="quiet" icon={IconX} label="Remove sentence" onClick={onRemove} />
    </div>
  );
}

/** The further condition of a sentence: a field, and its value. */
function ConditionWords({
  sentence: { when },
  conditions,
  onChange,
}: {
  sentence: Sentence;
  conditions: readonly ConditionChoice[];
  onChange: (part: Partial<Sentence>) => void;
}) {
  const place = conditions.findIndex(({ field, parent }) => field === when?.field && parent === when.parent);
  const values = conditions[place]?.values ?? [];
  const choose = (value: string) => {
    const chosen = conditions[Number(value)];
    if (value === '' || !chosen) return onChange({ when: null });
    const { field, parent } = chosen;
    onChange({ when: { field, parent, value: chosen.values[0] ?? '' } });
  };
  return (
    <>
      <Word
        label="When"
        value={place < 0 ? '' : String(place)}
        options={[['', 'always'], ...conditions.map(({ words }, index) => [String(index), words] as const)]}
        onChange={choose}
      />{' '}
      {when && values.length > 0 && (
        <Word
          label="Value of the condition"
          value={when.value}
          options={values.map((value) => [value, value])}
          onChange={(value) => onChange({ when: { ...when, value } })}
        />
      )}
      {when && values.length === 0 && (
        <input
          className={styles.value}
          aria-label="Value of the condition"
          value={when.value}
          onChange={({ currentTarget }) => onChange({ when: { ...when, value: currentTarget.value } })}
        />
      )}
    </>
  );
}

/** A word of a sentence that opens its choices. */
const Word = ({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: readonly (readonly [value: string, word: string])[];
  onChange: (value: string) => void;
}) => (
  <select className={styles.word} aria-label={label} value={value} onChange={({ target }) => onChange(target.value)}>
    {options.map(([option, word]) => (
      <option key={option} value={option}>
        {word}
      </option>
    ))}
  </select>
);
