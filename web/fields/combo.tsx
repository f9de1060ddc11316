import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { t } from '../language/messages.ts';
import { classNames } from '../ui/class-names.ts';
import styles from './combo.module.css';

/** An option in the list below a field. */
export interface ComboOption {
  readonly key: string;
  readonly name: ReactNode;
  /** Second line of the option: the meaning of the value, or a text that distinguishes rows with the same label. */
  readonly note?: string | undefined;
  /** Text at the right of the option. */
  readonly aside?: ReactNode;
  /** Icon or mark before the name of the option. */
  readonly sign?: ReactNode;
  /** True if the option is the stored value. */
  readonly isCurrent?: boolean;
  /** True if the option cannot be chosen. The note then says why. */
  readonly isOff?: boolean;
}

export interface ComboProps {
  id: string;
  /** Accessible name, if the field has no visible label. */
  label?: string | undefined;
  listLabel: string;
  placeholder?: string | undefined;
  /** Text of the field while the list is closed. */
  text: string;
  /** The typed text; null while the list is closed. */
  search: string | null;
  onSearch: (search: string | null) => void;
  options: readonly ComboOption[];
  /** Line below the list that screen readers announce, for example "3 of 8,140". */
  remark?: ReactNode;
  /** Further content below the list, such as the rule of the field. */
  children?: ReactNode;
  describedBy?: string | undefined;
  isWrong?: boolean;
  /** CSS class of the text field. */
  className?: string | undefined;
  /** True if the field is in a cell. The list then stays open, and Escape is left to the cell. */
  isInCell?: boolean;
  onChoose: (key: string) => void;
}

const isChosen = ({ isCurrent, isOff }: ComboOption): boolean => isCurrent === true && !isOff;

/** Text field with a list of options (WAI-ARIA, "Combobox"). Typing searches, arrows move, Enter chooses. */
export function Combo(props: ComboProps) {
  const { id, label, listLabel, placeholder, text, search, onSearch, options, remark, children } = props;
  const { describedBy, isWrong = false, className, isInCell = false, onChoose } = props;
  const first = Math.max(0, options.findIndex(isChosen));
  const [moved, setMoved] = useState<number | null>(null);
  const isOpen = search !== null;
  const at = Math.min(moved ?? (search === '' ? first : 0), options.length - 1);
  const searchFor = (next: string | null) => {
    onSearch(next);
    setMoved(null);
  };
  const choose = (option: ComboOption | undefined) => {
    if (!option || option.isOff) return;
    onChoose(option.key);
    if (!isInCell) searchFor(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      if (isOpen && options.length > 0) setMoved((at + step + options.length) % options.length);
      else if (!isOpen) searchFor('');
    }
    if (event.key === 'Enter' && isOpen && options.length > 0 && !event.nativeEvent.isComposing) {
      event.preventDefault();
      choose(options[at]);
    }
    if (event.key === 'Escape' && isOpen && !isInCell) {
      event.stopPropagation();
      searchFor(null);
    }
  };
  return (
    <div className={styles.combo}>
      <input
        id={id}
        className={className}
        role="combobox"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && options.length > 0 ? `${id}-${at}` : undefined}
        aria-describedby={describedBy}
        aria-invalid={isWrong || undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        value={search ?? text}
        onChange={({ currentTarget }) => searchFor(currentTarget.value)}
        onFocus={() => !isInCell && searchFor('')}
        onBlur={() => !isInCell && onSearch(null)}
        onKeyDown={onKeyDown}
      />
      {isOpen && (
        <div className={styles.menu}>
          <OptionList {...{ id, options, at }} label={listLabel} onChoose={choose} />
          {children}
          {remark !== undefined && (
            <p className={styles.remark} role="status">
              {remark}
            </p>
          )}
        </div>
      )}
    </div>
  );
}

interface OptionListProps {
  /** Id of the text field. The list is `ID-list`, and its options are `ID-0`, `ID-1` and so on. */
  id: string;
  label: string;
  options: readonly ComboOption[];
  /** Place of the option that Enter chooses. */
  at: number;
  onChoose: (option: ComboOption) => void;
}

const OptionList = ({ id, label, options, at, onChoose }: OptionListProps) => (
  <div role="listbox" id={`${id}-list`} aria-label={label} className={styles.list}>
    {options.map((option, place) => (
      <Option
        key={option.key}
        id={`${id}-${place}`}
        option={option}
        isAt={place === at}
        onChoose={() => onChoose(option)}
      />
    ))}
  </div>
);

/** The list of options below a field that is no `Combo`. */
export const ComboMenu = (props: OptionListProps) => (
  <div className={styles.menu}>
    <OptionList {...props} />
  </div>
);

function Option({
  id,
  option,
  isAt,
  onChoose,
}: {
  id: string;
  option: ComboOption;
  isAt: boolean;
  onChoose: () => void;
}) {
  const { name, note, aside, sign, isCurrent = false, isOff = false } = option;
  return (
    <div
      ref={isAt ? scrollTo : null}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isAt}
      aria-disabled={isOff || undefined}
      className={classNames(styles.option, isOff && styles.off)}
      // Without this, the press would move the focus out of the text field.
      onMouseDown={(event) => {
        event.preventDefault();
        onChoose();
      }}
    >
      <span className={styles.sign} aria-hidden="true">
        {sign ?? (isCurrent ? '✓' : '')}
      </span>
      <span className={styles.words}>
        <span>{name}</span>
        {(note || isCurrent) && (
          <small>
            {isCurrent && t('now')}
            {isCurrent && note ? ' · ' : ''}
            {note}
          </small>
        )}
      </span>
      {aside !== undefined && <small className={styles.aside}>{aside}</small>}
    </div>
  );
}

/** Scrolls the list until the option is visible. The page itself does not scroll. */
function scrollTo(option: HTMLElement | null) {
  const list = option?.parentElement;
  if (!option || !list) return;
  const [top, bottom] = [option.offsetTop, option.offsetTop + option.offsetHeight];
  if (top < list.scrollTop) list.scrollTop = top;
  else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
}
