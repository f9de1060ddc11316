import { Textarea } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, type RefObject, useMemo, useRef, useState } from 'react';
import type { CallDetail } from '../../../../contract/call-detail.ts';
import type { CallEntry, CallParameter } from '../../../../contract/specification-calls.ts';
import type { Entity } from '../../../../contract/specification-entities.ts';
import { Button } from '../../../ui/button.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { isSubmitKey } from '../../../ui/key-name.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import { useKeys } from '../../../ui/shortcuts/keyboard.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { connection } from '../../queries/apps.ts';
import { tryCall } from '../../queries/calls.ts';
import type { RequestRole } from '../../queries/rows/row.ts';
import { MemberField } from '../member-field.tsx';
import { CallArguments, WriteOptions } from './call-arguments.tsx';
import { attemptOf, type Draft, draftOf, isWrite, schemaOf, whyNot } from './draft.ts';
import { RowFilters } from './row-filters.tsx';
import { TriedReply } from './tried-reply.tsx';
import styles from './try-it.module.css';

type Who = 'anon' | 'member' | 'service';

interface TriedCall {
  call: CallEntry;
  parameters: readonly CallParameter[];
  entity: Entity | undefined;
  detail: CallDetail;
}

/** Form that sends a call as a chosen caller and shows the response. */
export function TryIt({ appRef, call, parameters, entity, detail }: { appRef: string } & TriedCall) {
  const { draft, setDraft, who, setWho, member, setMember, isDirect, requestRole, schema, sending } = useTrial(appRef, {
    call,
    parameters,
    entity,
    detail,
  });
  // A call of files takes bytes and names an object. A call of realtime needs a socket, or somebody who listens.
  const page = { storage: 'Files', realtime: 'Realtime' }[String(call.area)];
  const isOfPage = page !== undefined;
  const isMembersOwn = call.area === 'auth' && !isDirect && !call.roles.includes('service_role');
  const form = useRef<HTMLFormElement>(null);
  useFormKey(form, isMembersOwn || isOfPage);
  if (isMembersOwn || isOfPage) {
    return (
      <p className="soft">
        {isOfPage
          ? `This call cannot be sent from here. Use the page ${page}, or one of the programs above.`
          : 'This call needs a member’s session and cannot be sent from here. Use one of the programs above.'}
      </p>
    );
  }
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const why = (call.area !== 'auth' && requestRole === null ? 'Choose a member first.' : null) ?? whyNot(draft);
  const everyRow =
    (call.method === 'PATCH' || call.method === 'DELETE') && call.area === 'rest' && draft.filters.length === 0;
  const writes = isWrite(call) && !draft.undo;
  const send = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault();
    if (why === null) sending.mutate();
  };
  return (
    <form
      ref={form}
      className={styles.form}
      aria-label="Try it"
      onSubmit={send}
      onKeyDown={(event) => {
        if (isSubmitKey(event)) send(event);
      }}
    >
      <Caller {...{ appRef, call, isDirect, who, member }} onWho={setWho} onMember={setMember} />
      <CallArguments {...{ call, parameters, draft }} onChange={change} />
      {entity && call.method !== 'POST' && <RowFilters entity={entity} draft={draft} onChange={change} />}
      {draft.body !== null && (
        <Body
          value={draft.body}
          error={why === 'The body is not valid JSON.' ? why : null}
          onChange={(body) => change({ body })}
        />
      )}
      <WriteOptions call={call} draft={draft} onChange={change} />
      {(writes || everyRow) && (
        <p className={styles.warning}>
          {everyRow && 'Without a filter, the request affects every row that this caller can reach. '}
          {writes && 'This request changes data permanently.'}
        </p>
      )}
      <Button type="submit" kind={writes ? 'danger' : 'usual'} offBecause={why} busy={sending.isPending && 'Sending'}>
        {writes ? `Send ${call.method}, and write` : isWrite(call) ? `Send ${call.method}, then undo` : 'Send'}
      </Button>
      {sending.error && <FailureNote facts={failureFacts(sending.error)} />}
      {sending.data && (
        <TriedReply
          key={sending.submittedAt}
          appRef={appRef}
          call={call}
          schema={schema}
          answer={sending.data.answer}
          draft={sending.data.draft}
          requestRole={sending.data.requestRole}
        />
      )}
    </form>
  );
}

/** Text field of the body of the request. */
function Body({ value, error, onChange }: { value: string; error: string | null; onChange: (value: string) => void }) {
  return (
    <Textarea
      className={styles.body ?? ''}
      label="Body"
      autosize
      minRows={2}
      maxRows={14}
      autoComplete="off"
      spellCheck={false}
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Binds E, which focuses the form. */
function useFormKey(form: RefObject<HTMLFormElement | null>, isOff: boolean): void {
  useKeys(
    useMemo(() => {
      const run = () => form.current?.querySelector<HTMLElement>('button, input, textarea')?.focus();
      return isOff ? [] : [{ keys: 'e', group: 'This page', does: 'Try the selected call', run }];
    }, [form, isOff]),
  );
}

/** Returns the draft of a request and its caller, and the mutation that sends the request. */
function useTrial(appRef: string, { call, parameters, entity, detail }: TriedCall) {
  const [draft, setDraft] = useState(() => draftOf(call, parameters, detail));
  const [who, setWho] = useState<Who>(() =>
    call.roles.includes('anon')
      ? 'anon'
      : call.roles.includes('service_role') && call.roles.length === 1
        ? 'service'
        : 'member',
  );
  const [member, setMember] = useState<string | null>(null);
  const isDirect = call.area === 'auth' && call.roles.includes('anon');
  const { data: keys } = useQuery({ ...connection(appRef), enabled: isDirect });
  const requestRole: RequestRole | null = who === 'member' ? member : who;
  const schema = schemaOf(call, entity);
  const sending = useMutation({
    mutationFn: async () => {
      const attempt = attemptOf(call, draft, schema);
      const as = isDirect ? { key: keys?.publishable_key ?? '' } : { requestRole: requestRole ?? 'anon' };
      const answer = await tryCall(appRef, attempt, as);
      return { answer, draft, requestRole: isDirect ? 'anon' : (requestRole ?? 'anon') };
    },
  });
  return { draft, setDraft, who, setWho, member, setMember, isDirect, requestRole, schema, sending };
}

/** Chooses the caller of a data request; names the key of a call of /auth/v1. */
function Caller({
  appRef,
  call,
  isDirect,
  who,
  member,
  onWho,
  onMember,
}: {
  appRef: string;
  call: CallEntry;
  isDirect: boolean;
  who: Who;
  member: string | null;
  onWho: (who: Who) => void;
  onMember: (member: string | null) => void;
}) {
  return (
    <>
      {call.area === 'auth' ? (
        <p className="soft">
          {isDirect
            ? 'Uses the publishable key, like any client.'
            : 'Uses the secret key and bypasses row-level security.'}
        </p>
      ) : (
        <>
          <Segmented
            label="As whom"
            value={who}
            options={[
              ['anon', 'Anonymous'],
              ['member', 'A member'],
              ['service', 'Service key'],
            ]}
            onChange={onWho}
          />
          {who === 'member' && <MemberField appRef={appRef} member={member} onMember={onMember} />}
        </>
      )}
    </>
  );
}
