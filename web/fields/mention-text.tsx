import { createContext, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { t } from '../language/messages.ts';
import comboStyles from './combo.module.css';
import { ComboMenu } from './combo.tsx';
import { mentionAt, withMention } from './mentions.ts';

/** Returns the names of some members that contain each of the words. */
export type MentionSearch = (words: string) => Promise<readonly string[]>;

/** Context with the search for members whose names may follow an @. Without one, texts have no such list. */
export const MentionSearchContext = createContext<MentionSearch | null>(null);

interface MentionTextProps {
  id: string;
  className: string | undefined;
  value: string;
  rows: number;
  placeholder: string | undefined;
  isWrong: boolean;
  describedBy: string | undefined;
  search: MentionSearch;
  onChange: (value: string) => void;
  onLeave: (() => void) | undefined;
}

/** Text of several lines. After an @, it lists members whose names contain the typed words. Enter writes the name. */
export function MentionText({ id, search, value, onChange, ...props }: MentionTextProps) {
  const text = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState<number | null>(null);
  const [at, setAt] = useState(0);
  const [isClosed, setIsClosed] = useState(false);
  const mention = caret === null || isClosed ? null : mentionAt(value, caret);
  const names = useNames(search, mention?.words ?? null);
  const isOpen = mention !== null && names.length > 0;
  const follow = (element: HTMLTextAreaElement) => {
    setCaret(element.selectionStart === element.selectionEnd ? element.selectionStart : null);
    setAt(0);
  };
  const choose = (name: string | undefined) => {
    if (!mention || name === undefined) return;
    const next = withMention(value, mention, name);
    onChange(next.text);
    setCaret(null);
    // The caret moves once the new text is drawn.
    requestAnimationFrame(() => text.current?.setSelectionRange(next.caret, next.caret));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen || event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((at + step + names.length) % names.length);
    else if (event.key === 'Enter' || event.key === 'Tab') choose(names[at]);
    else if (event.key === 'Escape') setIsClosed(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className={comboStyles.combo}>
      <textarea
        ref={text}
        {...{ id, value, className: props.className, rows: props.rows, placeholder: props.placeholder }}
        // The direction of the text follows the letters that the member types.
        dir="auto"
        aria-autocomplete="list"
        aria-controls={isOpen ? `${id}-list` : undefined}
        aria-activedescendant={isOpen ? `${id}-${at}` : undefined}
        aria-invalid={props.isWrong || undefined}
        aria-describedby={props.describedBy}
        onKeyDown={onKeyDown}
        onChange={({ currentTarget }) => {
          setIsClosed(false);
          follow(currentTarget);
          onChange(currentTarget.value);
        }}
        onSelect={({ currentTarget }) => follow(currentTarget)}
        onBlur={() => {
          setCaret(null);
          props.onLeave?.();
        }}
      />
      {isOpen && (
        <ComboMenu
          {...{ id, at }}
          label={t('mentionList')}
          options={names.map((name) => ({ key: name, name: <bdi>{name}</bdi> }))}
          onChoose={({ key }) => choose(key)}
        />
      )}
      <span className="sr" role="status">
        {isOpen ? t('mentionCount', { count: names.length }) : ''}
      </span>
    </div>
  );
}

/** Reads the names for the typed letters; none while nothing is typed after an @. */
function useNames(search: MentionSearch, words: string | null): readonly string[] {
  const [found, setFound] = useState<{ words: string; names: readonly string[] } | null>(null);
  useEffect(() => {
    if (words === null) return;
    let isCurrent = true;
    search(words).then(
      (names) => {
        if (isCurrent) setFound({ words, names });
      },
      // Without a list, the member types the name.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [search, words]);
  return words === null || found?.words !== words ? [] : found.names;
}
