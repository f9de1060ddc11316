import { Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { LabelTexts } from '../../../../../contract/description.ts';
import styles from './editor.module.css';
import { type EditorContext, languageName } from './editor-context.ts';
import { freeRoute } from './new-design.ts';
import { Option, Row } from './option.tsx';

/** Languages that are offered first: those of the pages for members, then the most spoken ones. */
const OFFERED = ['en', 'de', 'ar', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'tr', 'uk', 'ru', 'zh', 'ja', 'hi'];
/** Max number of characters of a title, and of the words in place of rows. */
const TITLE = 200;
const WORDS = 400;

/** The title of a screen or a page, with its labels in other languages, and its route. */
export function TitleOption({ editor }: { editor: EditorContext }) {
  const { item, labels } = editor.state.draft;
  const { set, setLabel } = editor.state;
  const rename = (title: string) => {
    // The route of a new screen follows the title until the builder writes another one.
    const follows = editor.isNew && item.route === freeRoute(item.title, editor.chapter);
    set({ title, ...(follows && { route: freeRoute(title, editor.chapter) }) }, 'title');
  };
  return (
    <Option
      name="Title"
      value={item.title || 'none'}
      faults={[...editor.faultsOf('title'), ...editor.faultsOf('route')]}
      isOpenAtFirst={item.title === ''}
    >
      <Row label="Title">
        <TextInput
          value={item.title}
          maxLength={TITLE}
          autoComplete="off"
          onChange={({ currentTarget }) => rename(currentTarget.value)}
        />
      </Row>
      <ByLanguage
        editor={editor}
        what="Title"
        textOf={(tag) => labels[tag]?.[item.route]?.label ?? ''}
        onText={(tag, label) => setLabel(tag, item.route, { label })}
      />
      <Row label="Route">
        <TextInput
          value={item.route}
          spellCheck={false}
          autoComplete="off"
          classNames={{ input: styles.mono ?? '' }}
          onChange={({ currentTarget }) => set({ route: currentTarget.value }, 'route')}
        />
      </Row>
    </Option>
  );
}

/** A text in each language of the app. Without a text in their language, members see the one without a language. */
export function ByLanguage({
  editor: { languages, addLanguage },
  what,
  textOf,
  onText,
  isLong = false,
}: {
  editor: Pick<EditorContext, 'languages' | 'addLanguage'>;
  what: string;
  textOf: (tag: string) => string;
  onText: (tag: string, text: string) => void;
  isLong?: boolean;
}) {
  const Input = isLong ? Textarea : TextInput;
  return (
    <>
      {languages.map((tag) => (
        <Row key={tag} label={languageName(tag)}>
          <Input
            aria-label={`${what} in ${languageName(tag)}`}
            lang={tag}
            dir="auto"
            value={textOf(tag)}
            placeholder="as above"
            {...(isLong && { rows: 3 })}
            onChange={({ currentTarget }: { currentTarget: { value: string } }) => onText(tag, currentTarget.value)}
          />
        </Row>
      ))}
      <AddLanguage languages={languages} onAdd={addLanguage} />
    </>
  );
}

function AddLanguage({ languages, onAdd }: { languages: readonly string[]; onAdd: (tag: string) => void }) {
  const [isOther, setOther] = useState(false);
  const [tag, setTag] = useState('');
  const offered = OFFERED.filter((one) => !languages.includes(one));
  const add = () => {
    if (/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(tag) && !languages.includes(tag)) onAdd(tag);
    setOther(false);
    setTag('');
  };
  if (isOther) {
    return (
      <Row label="Language">
        <TextInput
          value={tag}
          placeholder="pt-BR"
          autoFocus
          onChange={({ currentTarget }) => setTag(currentTarget.value)}
          onKeyDown={({ key }) => key === 'Enter' && add()}
          onBlur={add}
        />
      </Row>
    );
  }
  return (
    <select
      className={styles.quietSelect}
      aria-label="Add a language"
      value=""
      onChange={({ currentTarget: { value } }) => (value === 'other' ? setOther(true) : onAdd(value))}
    >
      <option value="">Add a language</option>
      {offered.map((one) => (
        <option key={one} value={one}>
          {languageName(one)}
        </option>
      ))}
      <option value="other">Another language …</option>
    </select>
  );
}

/** The label and the help of an object in each language. */
export function LabelFields({ editor, labelKey }: { editor: EditorContext; labelKey: string }) {
  const { draft, setLabel } = editor.state;
  const textOf = (tag: string): LabelTexts | undefined => draft.labels[tag]?.[labelKey];
  const languages = editor.languages.includes('en') ? editor.languages : ['en', ...editor.languages];
  return (
    <>
      {languages.map((tag) => (
        <fieldset key={tag} className={styles.labelled} aria-label={languageName(tag)}>
          <Row label={languageName(tag)}>
            <TextInput
              aria-label={`Label in ${languageName(tag)}`}
              lang={tag}
              dir="auto"
              value={textOf(tag)?.label ?? ''}
              placeholder="its name"
              maxLength={TITLE}
              onChange={({ currentTarget }) => setLabel(tag, labelKey, { label: currentTarget.value })}
            />
          </Row>
          {textOf(tag) && (
            <Row label="Help">
              <TextInput
                aria-label={`Help in ${languageName(tag)}`}
                lang={tag}
                dir="auto"
                value={textOf(tag)?.help ?? ''}
                placeholder="none"
                onChange={({ currentTarget }) => setLabel(tag, labelKey, { help: currentTarget.value })}
              />
            </Row>
          )}
        </fieldset>
      ))}
      <AddLanguage languages={languages} onAdd={editor.addLanguage} />
    </>
  );
}

/** The words that stand in place of rows if there are none. */
export function EmptyOption({ editor, empty }: { editor: EditorContext; empty: string }) {
  return (
    <Option name="When empty" value={empty === '' ? 'the usual words' : `“${empty}”`} faults={[]}>
      <Textarea
        aria-label="Words in place of rows"
        rows={2}
        maxLength={WORDS}
        value={empty}
        placeholder="No tickets yet."
        onChange={({ currentTarget }) => editor.state.set({ empty: currentTarget.value }, 'empty')}
      />
    </Option>
  );
}
