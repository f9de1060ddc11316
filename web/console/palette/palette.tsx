import { Modal } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { Fragment, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { focusMarkedField } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { useFocusBack } from '../../ui/use-focus-back.ts';
import { counted } from '../format/format.ts';
import { type Found, find, maxMatches } from './entries.ts';
import type { Span } from './match.ts';
import styles from './palette.module.css';
import { requestIdIn } from './request-id.ts';
import { useEntries } from './use-entries.ts';

/** Palette for searching and navigating. It is a combobox of the WAI-ARIA pattern whose list is always open. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState('');
  const entries = useEntries(query);
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  useFocusBack();
  const found = find(entries, requestIdIn(query) ?? query);
  const shown = found.slice(0, maxMatches);
  const at = Math.min(chosen, shown.length - 1);

  useEffect(() => {
    list.current?.querySelector(`[data-index="${at}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [at]);

  const run = (entry: Found | undefined) => {
    if (!entry) return;
    onClose();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) setChosen((at + step + shown.length) % Math.max(1, shown.length));
    else if (event.key === 'Enter') run(shown[at]);
    else return;
    event.preventDefault();
  };

  return (
    <Modal.Root opened onClose={onClose} size={640} transitionProps={{ duration: 80 }}>
      <Modal.Overlay />
      <Modal.Content ref={focusMarkedField} aria-label="Search or jump">
        <div className={styles.ask}>
          <Icon of={IconSearch} />
          <input
            data-autofocus
            className={styles.input}
            placeholder="Search or jump"
            aria-label="Search or jump"
            role="combobox"
            aria-expanded="true"
            aria-controls={id}
            aria-activedescendant={shown.length > 0 ? `${id}-${at}` : undefined}
            autoComplete="off"
            spellCheck={false}
            value={query}
            onChange={(event) => {
              setQuery(event.currentTarget.value);
              setChosen(0);
            }}
            onKeyDown={onKeyDown}
          />
          <Kbd keys="Esc" />
        </div>
        <div className={styles.list} ref={list} id={id} role="listbox" aria-label="Results">
          {shown.map((entry, index) => (
            <Fragment key={`${entry.group} ${entry.title} ${entry.about}`}>
              {entry.group !== shown[index - 1]?.group && (
                <div className={styles.group} role="presentation">
                  {entry.group}
                </div>
              )}
              <Line
                id={`${id}-${index}`}
                index={index}
                entry={entry}
                chosen={index === at}
                onChoose={() => setChosen(index)}
                onRun={() => run(entry)}
              />
            </Fragment>
          ))}
        </div>
        {shown.length === 0 && <p className={styles.nothing}>No result for “{query}”.</p>}
        <Foot shown={shown.length} found={found.length} />
      </Modal.Content>
    </Modal.Root>
  );
}

/** Shows which keys work in the list, and the number of results. */
const Foot = ({ shown, found }: { shown: number; found: number }) => (
  <div className={styles.foot}>
    <span>
      <Kbd keys={['↑', '↓']} /> move
    </span>
    <span>
      <Kbd keys="Enter" /> open
    </span>
    <span className={styles.count} role="status">
      {shown < found ? `${shown} of ${counted(found, 'result')}` : counted(found, 'result')}
    </span>
  </div>
);

/** One entry in the list of the palette. */
function Line({
  id,
  index,
  entry,
  chosen,
  onChoose,
  onRun,
}: {
  id: string;
  index: number;
  entry: Found;
  chosen: boolean;
  onChoose: () => void;
  onRun: () => void;
}) {
  return (
    // As the combobox pattern requires, the search field keeps the focus and handles the keys. Options never get the focus.
    <div
      id={id}
      data-index={index}
      className={styles.line}
      role="option"
      aria-selected={chosen}
      tabIndex={-1}
      onMouseMove={onChoose}
      onClick={onRun}
      onKeyDown={(event) => event.key === 'Enter' && onRun()}
    >
      {typeof entry.sign === 'number' ? (
        <span className={styles.numeral}>{entry.sign}</span>
      ) : (
        <span className={styles.icon}>
          <Icon of={entry.sign} />
        </span>
      )}
      <span className="cut">
        <Marked text={entry.title} spans={entry.spans} />
      </span>
      <span className={styles.about}>{entry.about}</span>
      {entry.keys && entry.keys.length > 0 ? <Kbd keys={entry.keys} /> : chosen ? <Kbd keys="Enter" /> : <span />}
    </div>
  );
}

/** Shows a text with marked spans. */
function Marked({ text, spans }: { text: string; spans: readonly Span[] }) {
  let end = 0;
  return (
    <>
      {spans.map(([from, to]) => {
        const before = text.slice(end, from);
        end = to;
        return (
          <Fragment key={from}>
            {before}
            <mark className={styles.mark}>{text.slice(from, to)}</mark>
          </Fragment>
        );
      })}
      {text.slice(end)}
    </>
  );
}
