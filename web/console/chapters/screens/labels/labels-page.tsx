import { NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { LabelTexts } from '../../../../../contract/description.ts';
import type { Chapters } from '../../../../../contract/specification.ts';
import type { Entity } from '../../../../../contract/specification-entities.ts';
import { Button } from '../../../../ui/button.tsx';
import { SearchField } from '../../../../ui/search-field.tsx';
import { Segmented } from '../../../../ui/segmented.tsx';
import { Skeleton, Table, TableHead } from '../../../../ui/table.tsx';
import { count, counted } from '../../../format/format.ts';
import { Page } from '../../../layout/page.tsx';
import { fileName } from '../../../migrations/file-name.ts';
import { MigrationPage, useMigrationPage } from '../../../migrations/migration-page.tsx';
import { entityList } from '../../../queries/entities.ts';
import { specification } from '../../../queries/specification.ts';
import {
  changedKeys,
  isLanguage,
  type LabelDrafts,
  type LabelRow,
  labelProblems,
  labelRows,
  labelSql,
  missingFirst,
} from './label-rows.ts';
import styles from './labels-page.module.css';

/** Languages that have texts on the pages for members. */
const PORTAL_LANGUAGES = ['en', 'de', 'ar'];

/** Rows that are shown at first, and that a button adds. */
const SHOWN = 100;

const crumbsOf = (appRef: string) => [
  { text: '2 Screens', link: { to: '/app/$ref/screens', params: { ref: appRef } } as const },
  { text: 'Labels' },
];

const languageNames = new Intl.DisplayNames('en', { type: 'language' });

/** Page that translates the names of an app for its members, without SQL. */
export function LabelsPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/screens/labels' });
  const { language: asked } = useSearch({ from: '/signed-in/app/$ref/screens/labels' });
  const { data } = useQuery(specification(ref));
  const { data: entities } = useQuery(entityList(ref));
  if (!data || !entities) {
    return (
      <Page appRef={ref} crumbs={crumbsOf(ref)}>
        <Skeleton width={240} />
      </Page>
    );
  }
  const labels = data.chapters.screens?.labels ?? {};
  const known = [...new Set([...Object.keys(labels).sort(), ...PORTAL_LANGUAGES])];
  const language = asked !== undefined && isLanguage(asked) ? asked : (Object.keys(labels).sort()[0] ?? 'de');
  return (
    <Labels
      // The form begins anew with another language, and after the labels were stored.
      key={`${language} ${JSON.stringify(labels[language] ?? {})}`}
      {...{ appRef: ref, chapters: data.chapters, entities, language }}
      languages={[...new Set([...known, language])]}
      before={labels[language] ?? {}}
    />
  );
}

function Labels({
  appRef,
  chapters,
  entities,
  language,
  languages,
  before,
}: {
  appRef: string;
  chapters: Chapters;
  entities: readonly Entity[];
  language: string;
  languages: readonly string[];
  before: Readonly<Record<string, LabelTexts>>;
}) {
  // The labels at the beginning: a refresh of the specification must not move rows while the builder types.
  const [stored] = useState(before);
  const [rows] = useState(() => missingFirst(labelRows(chapters), before));
  const [drafts, setDrafts] = useState<LabelDrafts>({});
  const navigate = useNavigate();
  const open = (next: string) =>
    void navigate({ to: '/app/$ref/screens/labels', params: { ref: appRef }, search: { language: next } });
  const changed = changedKeys(drafts, stored);
  const { sql, undo } = labelSql(language, rows, drafts, stored);
  const page = useMigrationPage(
    appRef,
    {
      name: fileName(`labels ${language}`, new Date()),
      undo: { sql: undo, note: 'Sets the labels as they were before.' },
      problems: labelProblems(drafts),
      isEarly: false,
      isChanged: changed.length > 0,
      summary: changed.length === 0 ? 'No label changed' : `${counted(changed.length, 'label')} changed`,
      sql,
    },
    () => open(language),
  );
  const missing = rows.filter(({ key }) => !stored[key]).length;
  return (
    <MigrationPage
      {...{ appRef, entities, page }}
      crumbs={crumbsOf(appRef)}
      opening={<h1>Labels in {languageNames.of(language)}</h1>}
      onDiscard={() => setDrafts({})}
    >
      <p className={styles.answer}>
        {missing === 0
          ? `All ${count(rows.length)} names have a label.`
          : `${count(missing)} of ${counted(rows.length, 'name')} have no label. Members who read this language see the name instead.`}
      </p>
      <LanguageChoice {...{ languages, language }} onChoose={open} />
      <LabelTable
        {...{ rows, stored, drafts, language }}
        onDraft={(key, texts) => setDrafts((all) => ({ ...all, [key]: texts }))}
      />
    </MigrationPage>
  );
}

/** Chooses a language of the list, or another one by its tag. */
function LanguageChoice({
  languages,
  language,
  onChoose,
}: {
  languages: readonly string[];
  language: string;
  onChoose: (language: string) => void;
}) {
  const [tag, setTag] = useState('');
  const isUsable = isLanguage(tag.trim());
  return (
    <form
      className={styles.languages}
      onSubmit={(event) => {
        event.preventDefault();
        if (isUsable) onChoose(tag.trim());
      }}
    >
      <NativeSelect
        label="Language"
        value={language}
        data={languages.map((one) => ({ value: one, label: `${languageNames.of(one)} (${one})` }))}
        onChange={(event) => onChoose(event.currentTarget.value)}
      />
      <TextInput
        label="Another language"
        placeholder="pt-BR"
        autoComplete="off"
        spellCheck={false}
        value={tag}
        onChange={(event) => setTag(event.currentTarget.value)}
      />
      <Button type="submit" offBecause={isUsable ? null : 'Type the tag of a language, such as fr or pt-BR.'}>
        Add language
      </Button>
    </form>
  );
}

function LabelTable({
  rows,
  stored,
  drafts,
  language,
  onDraft,
}: {
  rows: readonly LabelRow[];
  stored: Readonly<Record<string, LabelTexts>>;
  drafts: LabelDrafts;
  language: string;
  onDraft: (key: string, texts: LabelDrafts[string]) => void;
}) {
  const [only, setOnly] = useState<'all' | 'missing'>('all');
  const [words, setWords] = useState('');
  const [limit, setLimit] = useState(SHOWN);
  const found = rows.filter(
    ({ key, name }) =>
      (only === 'all' || !stored[key]) &&
      `${name} ${stored[key]?.label ?? ''}`.toLowerCase().includes(words.toLowerCase()),
  );
  return (
    <>
      <div className={styles.tools}>
        <Segmented
          label="Which names"
          value={only}
          options={[
            ['all', 'All'],
            ['missing', 'Without a label'],
          ]}
          onChange={setOnly}
        />
        <SearchField label="Search names" example="Name or label" value={words} onSearch={setWords} />
      </div>
      <div className={styles.table}>
        <Table label="Labels">
          <TableHead names={['Name', 'Kind', 'Label', 'One row']} />
          <tbody>
            {found.slice(0, limit).map((row) => (
              <LabelFields
                key={row.key}
                {...{ row, language }}
                texts={drafts[row.key] ?? stored[row.key] ?? { label: '' }}
                onTexts={(texts) => onDraft(row.key, texts)}
              />
            ))}
          </tbody>
        </Table>
      </div>
      <p className="soft">
        {found.length === 0
          ? 'No name matches.'
          : `${count(Math.min(limit, found.length))} of ${counted(found.length, 'name')} shown`}{' '}
        {found.length > limit && (
          <Button small kind="quiet" onClick={() => setLimit(limit + SHOWN)}>
            Show more
          </Button>
        )}
      </p>
    </>
  );
}

/** Row with the fields for the label of one name, and of one row if the name is that of an entity. */
function LabelFields({
  row: { name, kind },
  language,
  texts: { label, one },
  onTexts,
}: {
  row: LabelRow;
  language: string;
  texts: LabelDrafts[string];
  onTexts: (texts: LabelDrafts[string]) => void;
}) {
  const field = (what: string, value: string, onText: (text: string) => void) => (
    <input
      className={styles.field}
      aria-label={what}
      lang={language}
      dir="auto"
      autoComplete="off"
      value={value}
      onChange={({ currentTarget }) => onText(currentTarget.value)}
    />
  );
  const rest = one === undefined ? {} : { one };
  return (
    <tr>
      <td className={styles.name}>
        <code title={name}>{name}</code>
      </td>
      <td className="soft">{kind}</td>
      <td>{field(`Label of ${name}`, label, (text) => onTexts({ label: text, ...rest }))}</td>
      <td>
        {kind === 'entity' && field(`Label of one row of ${name}`, one ?? '', (text) => onTexts({ label, one: text }))}
      </td>
    </tr>
  );
}
