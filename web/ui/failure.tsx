import { IconRefresh } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import styles from './failure.module.css';

/** The details of an error. `meaning` and `action` are null if the catalog of errors does not contain the code. */
export interface FailureFacts {
  code: string;
  /** HTTP status of the response; null if there was no response. */
  status: number | null;
  message: string;
  meaning: string | null;
  action: string | null;
  requestId: string | null;
  /** Path of the page about the error on this node; absent if there was no response. */
  page?: string;
}

/** Error that is shown across a page which could not be loaded: its code, meaning, action and request id. */
export function Failure({
  facts,
  onRetry,
  busy = false,
}: {
  facts: FailureFacts;
  onRetry?: () => void;
  busy?: boolean;
}) {
  return (
    <div className={styles.band} role="alert">
      <div>
        <h2 className={styles.title}>{facts.message}</h2>
        <Facts facts={facts} />
      </div>
      {onRetry && (
        <Button icon={IconRefresh} onClick={onRetry} busy={busy && 'Trying'}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** Error that is shown within a form, a panel or a dialog. */
export function FailureNote({ facts, children }: { facts: FailureFacts; children?: ReactNode }) {
  return (
    <div className={styles.note} role="alert">
      <p className={styles.noteTitle}>{facts.message}</p>
      {facts.action && (
        <p>
          <Marked words={facts.action} />
        </p>
      )}
      <p className={styles.small}>
        <code>{facts.code}</code>
        <Why facts={facts} before=", " />
        {facts.requestId && (
          <>
            , request <code>{facts.requestId}</code>
          </>
        )}
      </p>
      {children}
    </div>
  );
}

/**
 * Link to the page of the node about an error of the catalog: why it occurs, and what to do. It opens beside the page, so
 * that a form keeps its values.
 */
function Why({ facts: { page }, before }: { facts: FailureFacts; before: string }) {
  if (!page) return null;
  return (
    <>
      {before}
      <a href={page} target="_blank" rel="noreferrer">
        why
      </a>
    </>
  );
}

/** Shows a text. Commands in backticks are set as code. */
function Marked({ words }: { words: string }) {
  let offset = 0;
  return words.split('`').map((part, place) => {
    offset += part.length + 1;
    return place % 2 === 1 ? <code key={offset}>{part}</code> : part;
  });
}

/** Shows code, meaning, action and request id of an error. */
function Facts({ facts }: { facts: FailureFacts }) {
  const rows: (readonly [string, ReactNode])[] = [
    [
      'Code',
      <>
        <code>{facts.code}</code> {facts.status !== null && <span className="soft">{facts.status}</span>}
        <Why facts={facts} before=" " />
      </>,
    ],
    ['Meaning', facts.meaning && <Marked words={facts.meaning} />],
    ['What to do', facts.action && <Marked words={facts.action} />],
    ['Request', facts.requestId && <code>{facts.requestId}</code>],
  ];
  return (
    <dl className={styles.facts}>
      {rows.map(
        ([name, value]) =>
          value && (
            <div key={name} className={styles.fact}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
