import { IconPencil } from '@tabler/icons-react';
import { useCallback, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { PurposeChapter } from '../../../contract/description.ts';
import { Button } from '../../ui/button.tsx';
import { Figure } from '../../ui/figure.tsx';
import { useKeys } from '../../ui/shortcuts/keyboard.tsx';
import { Skeleton } from '../../ui/table.tsx';
import styles from './description.module.css';
import { DescriptionForm } from './description-form.tsx';

/** The name, the purpose, the audience and the owner of the app, with the form that changes them. */
export function DescriptionFigure({ appRef, chapter }: { appRef: string; chapter: PurposeChapter | undefined }) {
  const [editing, setEditing] = useState(false);
  const edit = useRef<HTMLButtonElement>(null);
  const done = useCallback(() => {
    flushSync(() => setEditing(false));
    edit.current?.focus();
  }, []);
  useKeys(
    useMemo(() => [{ keys: 'e', group: 'This page', does: 'Edit description', run: () => setEditing(true) }], []),
  );
  return (
    <Figure
      number="Figure 1.1"
      caption="Description"
      tools={
        chapter &&
        !editing && (
          <Button ref={edit} small icon={IconPencil} onClick={() => setEditing(true)}>
            Edit
          </Button>
        )
      }
    >
      {chapter && editing ? (
        <DescriptionForm appRef={appRef} chapter={chapter} onDone={done} />
      ) : (
        <Written chapter={chapter} />
      )}
    </Figure>
  );
}

function Written({ chapter }: { chapter: PurposeChapter | undefined }) {
  const lines = [
    ['Name', chapter?.name],
    ['Purpose', chapter?.purpose],
    ['Audience', chapter?.audience],
    ['Owner', chapter?.owner],
  ] as const;
  return (
    <dl className={styles.written}>
      {lines.map(([name, said]) => (
        <div key={name} className={styles.line}>
          <dt>{name}</dt>
          <dd>
            {said === undefined ? (
              <Skeleton width={320} />
            ) : (
              (said ?? <span className={styles.unsaid}>Not described yet</span>)
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
