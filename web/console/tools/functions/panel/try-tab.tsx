import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { IconListSearch, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import type { EdgeFunction } from '../../../../../contract/functions.ts';
import { Button, buttonClass } from '../../../../ui/button.tsx';
import { Code } from '../../../../ui/code.tsx';
import { CopyButton } from '../../../../ui/copy-button.tsx';
import { FailureNote } from '../../../../ui/failure.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { Kbd } from '../../../../ui/kbd.tsx';
import { isSubmitKey } from '../../../../ui/key-name.ts';
import { KeyValues, PanelSection } from '../../../../ui/panel.tsx';
import { caps } from '../../../../ui/shortcuts/bindings.ts';
import { isMac } from '../../../../ui/shortcuts/keyboard.tsx';
import { Tag } from '../../../../ui/tag.tsx';
import { bytes, counted, milliseconds } from '../../../format/format.ts';
import { failureFacts } from '../../../queries/api-failure.ts';
import { connection } from '../../../queries/apps.ts';
import { type TriedResponse, tryCall } from '../../../queries/calls.ts';
import { curlOf, readHeaders } from '../function-words.ts';
import styles from '../functions.module.css';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
type Method = (typeof methods)[number];

/** Maximum number of characters of a response that the page shows. */
const MAX_SHOWN = 20_000;

/** A request to a function as the form has it. */
interface Draft {
  readonly method: Method;
  /** The part of the address after the name of the function. */
  readonly path: string;
  readonly headers: string;
  readonly body: string;
}

const first: Draft = {
  method: 'POST',
  path: '',
  headers: 'content-type: application/json',
  body: '{ "name": "Ines" }',
};

const hasBody = ({ method }: Draft): boolean => method !== 'GET' && method !== 'OPTIONS';

/** Form that calls a function as the service role, and shows the response. */
export function TryTab({ appRef, selected }: { appRef: string; selected: EdgeFunction }) {
  const [draft, setDraft] = useState(first);
  const headers = readHeaders(draft.headers);
  const sending = useMutation({
    mutationFn: () =>
      tryCall(
        appRef,
        {
          method: draft.method,
          address: `/functions/v1/${selected.name}${below(draft.path)}`,
          headers: headers ?? {},
          body: hasBody(draft) ? draft.body : null,
        },
        { requestRole: 'service' },
      ),
  });
  const why = headers === null ? 'Write each header in a line of its own, as name: value.' : null;
  const send = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (why === null && !sending.isPending) sending.mutate();
  };
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  return (
    <form
      className={styles.try}
      aria-label="Try it"
      onSubmit={send}
      onKeyDown={(event) => {
        if (isSubmitKey(event)) send(event);
      }}
    >
      <Fields draft={draft} name={selected.name} headerFault={why} onChange={change} />
      <div className="buttons">
        <Button type="submit" kind="first" icon={IconPlayerPlay} offBecause={why} busy={sending.isPending && 'Running'}>
          Run
        </Button>
        <CopyCurl {...{ appRef, selected, draft }} headers={headers ?? {}} />
        <Kbd keys={caps('mod+enter', isMac)} />
      </div>
      <p className="soft">
        Calls as the service role, with the privileges of the app’s secret key. The figures count calls of clients only.
      </p>
      {sending.error && (
        <FailureNote facts={failureFacts(sending.error)}>
          <p>A redirect of the function also ends here, because the console follows none. Copy the request as curl.</p>
        </FailureNote>
      )}
      {sending.data && <Response key={sending.submittedAt} appRef={appRef} response={sending.data} />}
    </form>
  );
}

/** Returns what follows the name of the function: it begins with a slash or a question mark, or is empty. Pure. */
const below = (path: string): string => (path === '' || /^[/?]/.test(path) ? path : `/${path}`);

function Fields({
  draft,
  name,
  headerFault,
  onChange,
}: {
  draft: Draft;
  name: string;
  headerFault: string | null;
  onChange: (part: Partial<Draft>) => void;
}) {
  return (
    <>
      <div className={styles.target}>
        <NativeSelect
          label="Method"
          data={[...methods]}
          value={draft.method}
          onChange={(event) => onChange({ method: event.currentTarget.value as Method })}
        />
        <TextInput
          label={`Path below ${name}`}
          placeholder="/orders/7?dry=true"
          autoComplete="off"
          spellCheck={false}
          value={draft.path}
          onChange={(event) => onChange({ path: event.currentTarget.value })}
        />
      </div>
      <Textarea
        className={styles.mono ?? ''}
        label="Headers, one a line"
        autosize
        minRows={1}
        maxRows={6}
        autoComplete="off"
        spellCheck={false}
        value={draft.headers}
        error={headerFault}
        onChange={(event) => onChange({ headers: event.currentTarget.value })}
      />
      {hasBody(draft) && (
        <Textarea
          className={styles.mono ?? ''}
          label="Body"
          autosize
          minRows={3}
          maxRows={14}
          autoComplete="off"
          spellCheck={false}
          value={draft.body}
          onChange={(event) => onChange({ body: event.currentTarget.value })}
        />
      )}
    </>
  );
}

/** Copies the request as a command. A function that verifies its callers gets the publishable key. */
function CopyCurl({
  appRef,
  selected: { url, verify_jwt: verifies },
  draft,
  headers,
}: {
  appRef: string;
  selected: EdgeFunction;
  draft: Draft;
  headers: Readonly<Record<string, string>>;
}) {
  const { data: app } = useQuery(connection(appRef));
  const text = () =>
    curlOf({
      method: draft.method,
      url: `${url}${below(draft.path)}`,
      headers: { ...(verifies && { apikey: app?.publishable_key ?? '' }), ...headers },
      body: hasBody(draft) ? draft.body : null,
    });
  return <CopyButton text={text} what="the request as curl, with the publishable key" word="Copy as curl" />;
}

/** Shows the response: status, time, body and headers, with a link to the trace of the request. */
function Response({ appRef, response }: { appRef: string; response: TriedResponse }) {
  const { status, headers, text, milliseconds: took, requestId } = response;
  const whole = indented(text);
  return (
    <PanelSection
      title="Response"
      aside={
        <span role="status">
          <Tag kind={status >= 400 ? 'error' : 'ok'}>{status}</Tag> in {milliseconds(took)}
        </span>
      }
    >
      <div className={styles.response}>
        {text === '' ? (
          <p className="soft">The body is empty.</p>
        ) : (
          <Code code={whole.slice(0, MAX_SHOWN)} language="json" label="the body" wrap />
        )}
        {whole.length > MAX_SHOWN && <p className="soft">The beginning of {bytes(text.length)}.</p>}
        <details>
          <summary>{counted(headers.length, 'header')}</summary>
          <KeyValues pairs={headers.map(([name, value]) => [name, <code key={name}>{value}</code>])} />
        </details>
        {requestId !== null && (
          <p className="buttons">
            <Link
              to="/app/$ref/calls/$requestId"
              params={{ ref: appRef, requestId }}
              className={buttonClass({ small: true })}
            >
              <Icon of={IconListSearch} small />
              Request trace
            </Link>
          </p>
        )}
      </div>
    </PanelSection>
  );
}

/** Writes JSON with one value per line; returns another text unchanged. Pure. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
