import { IconListSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { CallEntry } from '../../../../contract/specification-calls.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Code } from '../../../ui/code.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { KeyValues } from '../../../ui/panel.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { bytes, counted, milliseconds } from '../../format/format.ts';
import { failureFacts } from '../../queries/api-failure.ts';
import type { TriedResponse } from '../../queries/calls.ts';
import { explanation, type Question } from '../../queries/explain.ts';
import type { RequestRole } from '../../queries/rows/row.ts';
import { errorName, errorOf } from '../errors/error-words.ts';
import { Explained } from '../roles/explain/explained.tsx';
import { useChapter } from '../use-chapter.ts';
import { canUndo, type Draft, parametersOf } from './draft.ts';
import styles from './try-it.module.css';

/** Maximum number of characters of a body that the page shows. */
const max = 20_000;

/** Formats a response body for reading: JSON with one value per line, and only the beginning of a long body. Pure. */
function shownText(body: string): { text: string; cut: boolean } {
  const value = read(body);
  const whole = value === undefined ? body : JSON.stringify(value, null, 2);
  return { text: whole.slice(0, max), cut: whole.length > max };
}

/** Counts the rows of a response body; null if the body is not a list. Pure. */
function rowsIn(body: string): number | null {
  const value = read(body);
  return Array.isArray(value) ? value.length : null;
}

/** Returns the error code of a response body of PostgREST or GoTrue; null if the body contains no code. Pure. */
function codeOf(body: string): string | null {
  const value = read(body);
  if (typeof value !== 'object' || value === null) return null;
  const said = 'error_code' in value ? value.error_code : 'code' in value ? value.code : null;
  return typeof said === 'string' ? said : null;
}

function read(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Shows the response: status, time, body and headers, with links to its trace, error and explanation. */
export function TriedReply({
  appRef,
  call,
  schema,
  answer,
  draft,
  requestRole,
}: {
  appRef: string;
  call: CallEntry;
  schema: string | null;
  answer: TriedResponse;
  draft: Draft;
  requestRole: RequestRole;
}) {
  const { chapter } = useChapter(appRef, 'errors');
  const [asking, setAsking] = useState(false);
  const failed = answer.status >= 400;
  const code = failed ? codeOf(answer.text) : null;
  const line = errorOf(chapter?.errors ?? [], { code, subject: null });
  const rows = rowsIn(answer.text);
  const { text, cut } = shownText(answer.text);
  const question = schema === null || call.area === 'auth' ? null : questionOf(call, draft, schema, requestRole);
  return (
    <section className={styles.reply} aria-label="Reply">
      <p className={styles.head} role="status">
        <Tag kind={failed ? 'error' : 'ok'}>{answer.status}</Tag> in {milliseconds(answer.milliseconds)}
        {rows !== null && !failed && `, ${counted(rows, 'row')}`}
        {!failed && canUndo(call) && (draft.undo ? ', undone' : ', written')}
        {code !== null && (
          <>
            {', '}
            {line ? (
              <Link to="/app/$ref/errors" params={{ ref: appRef }} search={{ error: line.id }}>
                <code>{errorName(line)}</code>
              </Link>
            ) : (
              <code>{code}</code>
            )}
          </>
        )}
      </p>
      {text !== '' && <Code code={text} language="json" label="the body" wrap />}
      {cut && <p className="soft">The beginning of {bytes(answer.text.length)}.</p>}
      <details>
        <summary>{counted(answer.headers.length, 'header')}</summary>
        <KeyValues pairs={answer.headers.map(([name, value]) => [name, <code key={name}>{value}</code>])} />
      </details>
      <p className="buttons">
        {answer.requestId !== null && (
          <Link
            to="/app/$ref/calls/$requestId"
            params={{ ref: appRef, requestId: answer.requestId }}
            className={buttonClass({ small: true })}
          >
            <Icon of={IconListSearch} small />
            Request trace
          </Link>
        )}
        {question && (
          <Button kind="quiet" small aria-expanded={asking} onClick={() => setAsking(!asking)}>
            {failed ? 'Why is it refused?' : 'Why these rows?'}
          </Button>
        )}
      </p>
      {question && asking && <Why appRef={appRef} question={question} />}
    </section>
  );
}

const questionOf = (call: CallEntry, draft: Draft, schema: string, requestRole: RequestRole): Question | null =>
  call.method === 'PUT'
    ? null
    : {
        requestRole,
        method: call.method,
        path: call.path.replace('/rest/v1/', ''),
        schema,
        parameters: parametersOf(draft),
        body: draft.body,
      };

function Why({ appRef, question }: { appRef: string; question: Question }) {
  const { data, error } = useQuery(explanation(appRef, question));
  if (error) return <FailureNote facts={failureFacts(error)} />;
  if (!data) return <p className="soft">Loading …</p>;
  return <Explained appRef={appRef} explanation={data} />;
}
