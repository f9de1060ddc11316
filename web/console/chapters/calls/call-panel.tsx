import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type CallDetail, isWritable, mustBeGiven } from '../../../../contract/call-detail.ts';
import type { Specification } from '../../../../contract/specification.ts';
import type { CallEntry, CallParameter, CallsChapter } from '../../../../contract/specification-calls.ts';
import type { Entity } from '../../../../contract/specification-entities.ts';
import { Code } from '../../../ui/code.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { KeyValues, type Pair, Panel, PanelSection, type PanelSteps, VerdictLine } from '../../../ui/panel.tsx';
import { Skeleton } from '../../../ui/table.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { count, listed, milliseconds } from '../../format/format.ts';
import { failureFacts } from '../../queries/api-failure.ts';
import { callDetail } from '../../queries/calls.ts';
import { CallErrorList } from './call-errors.tsx';
import { CallFiguresOf } from './call-figures.tsx';
import styles from './calls.module.css';
import { TryIt } from './try-it.tsx';

/**
 * Returns the complete parameters and results of a call. For a call on rows, these include the fields of its entity in
 * chapter 3. Pure.
 */
function takenBy(
  call: CallEntry,
  { rows }: Pick<CallsChapter, 'rows'>,
  entity: Entity | undefined,
): { parameters: CallParameter[]; returns: string } {
  const common = rows.find(({ method }) => method === call.method);
  return {
    parameters:
      call.parameters ?? common?.parameters.flatMap((one) => (isField(one) ? fieldsOf(call, entity) : [one])) ?? [],
    returns: call.returns ?? common?.returns ?? '',
  };
}

const isField = (parameter: CallParameter): boolean => parameter.name === '<field>' && parameter.in === 'body';

const fieldsOf = ({ method }: CallEntry, entity: Entity | undefined): CallParameter[] =>
  (entity?.fields ?? []).filter(isWritable).map((field) => ({
    name: field.name,
    in: 'body',
    type: field.type,
    required: method === 'POST' && mustBeGiven(field),
    meaning: field.comment ?? '',
  }));

const places: Readonly<Record<CallParameter['in'], string>> = { query: 'Query', header: 'Headers', body: 'Body' };

/** Panel of a call: its callers, parameters, responses, and code that requests it. */
export function CallPanel({
  appRef,
  call,
  specification: { chapters, hash },
  ...steps
}: {
  appRef: string;
  call: CallEntry;
  specification: Specification;
} & PanelSteps) {
  const entity = chapters.entities?.entities.find(({ id }) => call.area === 'rest' && id === call.entity);
  const taken = takenBy(call, { rows: chapters.calls?.rows ?? [] }, entity);
  const made = useQuery(callDetail(appRef, call.id, hash));
  return (
    <Panel
      label={`${call.method} ${call.path}`}
      title={
        <>
          <span className="soft">{call.method}</span> <code>{call.path}</code>
        </>
      }
      {...steps}
    >
      <VerdictLine>{call.summary}</VerdictLine>
      <PanelSection title="Call">
        <KeyValues pairs={callFacts(appRef, call, taken.returns, chapters.calls?.figures?.start_ms)} />
      </PanelSection>
      <PanelSection title="Requests">
        <CallFiguresOf key={call.id} appRef={appRef} id={call.id} />
      </PanelSection>
      <PanelSection title="Code">
        <Made answer={made}>{(detail) => <Snippets key={call.id} snippets={detail.snippets} />}</Made>
      </PanelSection>
      <PanelSection title="Try it">
        <Made answer={made}>
          {(detail) => (
            <TryIt
              key={call.id}
              appRef={appRef}
              call={call}
              parameters={taken.parameters}
              entity={entity}
              detail={detail}
            />
          )}
        </Made>
      </PanelSection>
      {(['query', 'header', 'body'] as const).map((place) => (
        <Parameters
          key={place}
          title={places[place]}
          parameters={taken.parameters.filter((given) => given.in === place)}
        />
      ))}
      <PanelSection title="Errors" aside={made.data && errorCount(made.data)}>
        <Made answer={made}>
          {({ errors }) => (
            <CallErrorList
              appRef={appRef}
              errors={errors}
              lines={chapters.errors?.errors ?? []}
              isAuth={call.area === 'auth'}
            />
          )}
        </Made>
      </PanelSection>
    </Panel>
  );
}

const callFacts = (appRef: string, call: CallEntry, returns: string, start: number | undefined): Pair[] => [
  ['For', call.roles.length > 0 ? listed(call.roles) : 'none: no role has the privilege'],
  ['Returns', returns],
  call.area === 'functions' &&
    start !== undefined && [
      'Cold start',
      `${milliseconds(start)}: the median of a day. The first call of an idle app waits for it.`,
    ],
  call.reads_only && ['Transaction', `read-only: ${readOnlyWords[call.writes ?? 'never']}`],
  call.setting !== null && ['Switched off by', <code key="setting">{call.setting}</code>],
  call.entity !== null &&
    call.area === 'rest' && [
      'Reaches',
      <Link key="entity" to="/app/$ref/entities" params={{ ref: appRef }} search={{ entity: call.entity }}>
        <code>{call.entity}</code>
      </Link>,
    ],
];

const errorCount = ({ errors: { own, common } }: CallDetail): string => `${own.length + common.length}`;

/** Shows content that the server generates on request, with a placeholder until the content is loaded. */
function Made({
  answer: { data, error, refetch, isFetching },
  children,
}: {
  answer: UseQueryResult<CallDetail>;
  children: (detail: CallDetail) => ReactNode;
}) {
  if (error) return <Failure facts={failureFacts(error)} onRetry={() => void refetch()} busy={isFetching} />;
  return data ? children(data) : <Skeleton width={200} />;
}

/** Shows code that sends the request, in three forms. */
const Snippets = ({ snippets: { supabase_js, curl, fetch } }: Pick<CallDetail, 'snippets'>) => (
  <Tabs
    label="Code"
    tabs={[
      {
        name: 'supabase-js',
        content: <Code code={supabase_js} language="javascript" label="the call in supabase-js" />,
      },
      { name: 'curl', content: <Code code={curl} language="shell" label="the call in curl" /> },
      { name: 'fetch', content: <Code code={fetch} language="javascript" label="the call in fetch" /> },
    ]}
  />
);

/** Table of the parameters of a call. */
function Parameters({ title, parameters }: { title: string; parameters: readonly CallParameter[] }) {
  if (parameters.length === 0) return null;
  return (
    <PanelSection title={title} aside={count(parameters.length)}>
      <ul className={styles.parameters}>
        {parameters.map(({ name, type, required, meaning }) => (
          <li key={name}>
            <code className={styles.name}>{name}</code>
            <code className={styles.type}>{type}</code>
            {required && <Tag>required</Tag>}
            <span className={styles.meaning}>{meaning}</span>
          </li>
        ))}
      </ul>
    </PanelSection>
  );
}

/** Describes what happens to a function in a read-only transaction, by whether the function writes. */
const readOnlyWords = {
  always: 'the function writes, so each call is refused: 405 (25006), or 400 (0A000) if it is declared STABLE',
  may: 'the function may write; such a call is refused: 405 (25006), or 400 (0A000) if it is declared STABLE',
  never: 'if the function writes, the response is 405 (25006)',
} as const;
