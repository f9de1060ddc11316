import { IconLayoutSidebarRight } from '@tabler/icons-react';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { RequestTrace, RequestTraceResponse } from '../../../../contract/observed.ts';
import type { ErrorLine } from '../../../../contract/specification.ts';
import { Button } from '../../../ui/button.tsx';
import { Code } from '../../../ui/code.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { Figure } from '../../../ui/figure.tsx';
import { badFigureClass, liveValueClass } from '../../../ui/live-value.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { dateTime, milliseconds, shortId } from '../../format/format.ts';
import { Page } from '../../layout/page.tsx';
import { SpecificationVersion } from '../../layout/specification-version.tsx';
import { chapterPage } from '../../navigation/chapter-pages.ts';
import { failureFacts } from '../../queries/api-failure.ts';
import { type AnsweredRequest, chapterOf, useRequest } from '../../queries/use-request.ts';
import { errorOf } from '../errors/error-words.ts';
import { useChapter } from '../use-chapter.ts';
import { Caller } from './caller.tsx';
import { FunctionOutputOfRequest } from './function-output.tsx';
import { LoggedRequest, UnknownRequest } from './logged-request.tsx';
import { RefusedResponse } from './refused.tsx';
import styles from './request.module.css';
import { RequestPanel } from './request-panel.tsx';
import { addressOf, questionOf, stepLines } from './request-words.ts';
import { StepTable } from './step-table.tsx';

/** Page with the trace of a request: in chapter 8 if the request failed, otherwise in chapter 7. */
export function RequestPage() {
  const { ref, requestId } = useParams({ from: '/signed-in/app/$ref/calls/$requestId' });
  const { trace: query, isUnknown, logged, answered } = useRequest(ref, requestId);
  const { chapter: errors } = useChapter(ref, 'errors');
  const { data } = query;
  // On a phone the panel would cover the steps, so it starts closed.
  const [open, setOpen] = useState(() => !window.matchMedia('(max-width: 760px)').matches);
  const trace = data?.trace;
  const line = useMemo(() => answered && errorOf(errors?.errors ?? [], answered), [answered, errors]);
  const { number, name, to } = chapterPage(chapterOf(answered));
  const isMissing = isUnknown && !logged.isLoading && !logged.data;
  const question = answered ? questionOf(answered, new Date()) : isMissing ? 'Trace not found' : 'What happened?';
  return (
    <Page
      appRef={ref}
      crumbs={[{ text: `${number} ${name}`, link: { to, params: { ref } } }, { text: requestId.slice(0, 13) }]}
      question={question}
      tools={<SpecificationVersion appRef={ref} />}
      panel={trace && open && <RequestPanel appRef={ref} trace={trace} line={line} onClose={() => setOpen(false)} />}
      fetching={query.isLoading || logged.isLoading}
    >
      <PageHeader numeral={number} name={name} question={question}>
        {answered ? (
          <Answer appRef={ref} trace={answered} line={line} stepsId={trace ? `#table-${number}-3` : undefined} />
        ) : (
          query.isError && !isUnknown && 'Currently unavailable.'
        )}
      </PageHeader>
      {logged.data && <LoggedRequest appRef={ref} line={logged.data} error={line} number={number} />}
      {isMissing && <UnknownRequest appRef={ref} requestId={requestId} />}
      {query.error && !isUnknown && (
        <Failure facts={failureFacts(query.error)} onRetry={() => void query.refetch()} busy={query.isFetching} />
      )}
      {trace && !open && (
        <p className={styles.remark}>
          <Button small icon={IconLayoutSidebarRight} onClick={() => setOpen(true)}>
            Who, request and reply
          </Button>
        </p>
      )}
      {!query.isError && <Told number={number} answer={data} />}
      {trace?.area === 'functions' && (
        <FunctionOutputOfRequest appRef={ref} requestId={requestId} number={`Source ${number}.5`} />
      )}
    </Page>
  );
}

/** Says why a trace has no statement. Pure. */
const noStatement = ({ area }: RequestTrace): string =>
  area === 'functions'
    ? 'None: the code of the function answered. Requests that it sent to the app have their own traces.'
    : area === 'rest'
      ? 'None: the request ended before a statement was sent.'
      : 'Not shown: sign-in and files use the same internal statements in every app.';

/** Shows the steps of the request, their SQL and the policies that applied. */
function Told({ number, answer }: { number: number; answer: RequestTraceResponse | undefined }) {
  const lines = useMemo(() => answer && stepLines(answer.trace, answer.policies), [answer]);
  const trace = answer?.trace;
  return (
    <>
      <StepTable
        number={`Table ${number}.3`}
        lines={lines}
        all={trace?.milliseconds ?? 0}
        usual={answer?.usual ?? { p50_ms: null, p99_ms: null }}
      />
      {trace && (
        <Figure number={`Source ${number}.4`} caption="The statement as sent to PostgreSQL">
          {trace.sql ? (
            <Code
              code={trace.sql.text + (trace.sql.truncated ? '\n-- cut: longer than the stored length' : '')}
              language="sql"
              label="the statement"
              wrap
            />
          ) : (
            <p className={styles.remark}>{noStatement(trace)}</p>
          )}
        </Figure>
      )}
      {answer && answer.policies.length > 0 && (
        <Figure number={`Source ${number}.5`} caption={`Applicable policies, as of ${dateTime(answer.policies_as_of)}`}>
          {answer.policies.map(({ entity, name, words, sql }) => (
            <div key={`${entity} ${name}`} className={styles.policy}>
              <p className={styles.words}>
                {name} of <code>{shortId(entity)}</code>
                {words !== '' && <span className="soft">: {words}</span>}
              </p>
              <Code code={sql} language="sql" label={`the policy ${name}`} />
            </div>
          ))}
        </Figure>
      )}
    </>
  );
}

/**
 * Answers the question of the page: "priya@… called PATCH /rest/v1/tickets. The response was 400 after 3.3 ms: the
 * title is 3 to 120 characters."
 */
function Answer({
  appRef,
  trace,
  line,
  stepsId,
}: {
  appRef: string;
  trace: AnsweredRequest;
  line: ErrorLine | undefined;
  /** The address of the steps; undefined if they are not stored. */
  stepsId: string | undefined;
}) {
  const { status, code } = trace;
  const known = trace.who.user_id !== null || trace.who.role !== null;
  return (
    <>
      {known ? <Caller appRef={appRef} who={trace.who} className={liveValueClass} /> : 'An unknown caller'} called{' '}
      <Link to="/app/$ref/calls" params={{ ref: appRef }} search={{ call: trace.call }} className={liveValueClass}>
        {trace.method} {addressOf({ ...trace, query: '' })}
      </Link>
      . The response was{' '}
      {line ? (
        <Link to="/app/$ref/errors" params={{ ref: appRef }} search={{ error: line.id }} className={badFigureClass}>
          {status}
        </Link>
      ) : (
        <span className={code === null ? undefined : styles.requestBad}>{status}</span>
      )}{' '}
      after{' '}
      {stepsId === undefined ? (
        milliseconds(trace.milliseconds)
      ) : (
        <a href={stepsId} className={liveValueClass}>
          {milliseconds(trace.milliseconds)}
        </a>
      )}
      . {trace.refused ? <RefusedResponse appRef={appRef} refused={trace.refused} /> : line?.meaning}
    </>
  );
}
