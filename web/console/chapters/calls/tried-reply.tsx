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
import { codeOf, rowsIn, shownText } from './reply-words.ts';
import styles from './try-it.module.css';

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
  return <Explained explanation={data} />;
}
