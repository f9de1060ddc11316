import { type UseQueryResult, useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useRef, useState } from 'react';
import type { SessionRow } from '../../../../contract/admin.ts';
import { limits } from '../../../../contract/limits.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { FlashOnChange } from '../../../ui/live-value.tsx';
import { AsOf } from '../../../ui/page-header.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { Sheet, SheetFoot, SheetRows } from '../../../ui/sheet.tsx';
import { failureFacts } from '../../data/api-failure.ts';
import { activity } from '../../data/apps.ts';
import { revokeSession, sessionList } from '../../data/sessions.ts';
import { user as userQuery } from '../../data/users.ts';
import { count, counted } from '../../format/format.ts';
import type { Binding } from '../../keys/bindings.ts';
import { useKeys } from '../../keys/keyboard.tsx';
import { useNeighbours } from '../../keys/use-neighbours.ts';
import { Page } from '../../layout/page.tsx';
import { nameOf } from '../users/user-words.ts';
import { RevokeAllDialog, RevokeUserDialog } from './revoke-dialogs.tsx';
import { searchSessions } from './search-sessions.ts';
import { sessionColumns, whoOf } from './session-columns.tsx';
import { SessionPanel } from './session-panel.tsx';
import { useNewIds } from './use-new-ids.ts';
import { UserChip } from './user-chip.tsx';

/** Page of an app's sessions, with the buttons that end them. */
export function SessionsPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/sessions' });
  const { user: onlyUser = null, session: chosen = null } = useSearch({ from: '/signed-in/app/$ref/sessions' });
  const navigate = useNavigate({ from: '/app/$ref/sessions' });
  const [search, setSearch] = useState('');
  const [dialog, setDialog] = useState<'user' | 'all' | null>(null);
  const [said, setSaid] = useState('');

  const list = useQuery(sessionList(ref, onlyUser));
  const who = useWho(ref, onlyUser, list.data);
  const sessions = useMemo(() => list.data && searchSessions(list.data, search), [list.data, search]);
  const session = list.data?.find(({ id }) => id === chosen);

  const choose = useChosenSession();
  const afterRevocation = useCallback(() => {
    setSaid('The session was revoked.');
    choose(null);
  }, [choose]);
  const revocation = useRevocation(ref, afterRevocation);
  const { revoke, revoking } = revocation;
  const { previous, next } = useNeighbours(sessions, chosen, choose);
  const everybody = () => void navigate({ search: {}, replace: true });
  const done = (revoked: number) => {
    setDialog(null);
    setSaid(`${counted(revoked, 'session was', 'sessions were')} revoked.`);
    choose(null);
  };
  return (
    <Page
      bare
      appRef={ref}
      crumbs={[{ text: 'Sessions' }]}
      fetching={list.isLoading}
      panel={
        chosen !== null &&
        list.data && (
          <SessionPanel
            key={chosen}
            appRef={ref}
            session={session}
            ofUser={session ? list.data.filter(({ user_id }) => user_id === session.user_id).length : 0}
            revoking={revoking !== null && revoking === chosen}
            onRevoke={() => revoke(chosen)}
            onRevokeUser={() => setDialog('user')}
            onPrevious={previous}
            onNext={next}
            onClose={() => choose(null)}
          />
        )
      }
    >
      <SessionSheet
        {...{ appRef: ref, list, sessions, onlyUser, who, chosen, search, revocation }}
        onSearch={setSearch}
        onChoose={choose}
        onEverybody={everybody}
        onRevokeAll={() => setDialog(onlyUser === null ? 'all' : 'user')}
      />
      <span role="status" className="sr">
        {said}
      </span>
      <SessionDialogs
        {...{ appRef: ref, dialog, who, onlyUser, session, sessions: list.data }}
        onDone={done}
        onClose={() => setDialog(null)}
      />
    </Page>
  );
}

/** The list of sessions with its filters. */
function SessionSheet({
  appRef,
  list,
  sessions,
  onlyUser,
  who,
  chosen,
  search,
  revocation: { revoke, revoking, refused, retry },
  onSearch,
  onChoose,
  onEverybody,
  onRevokeAll,
}: {
  appRef: string;
  list: UseQueryResult<SessionRow[]>;
  /** The sessions that match the search. */
  sessions: readonly SessionRow[] | undefined;
  onlyUser: string | null;
  who: string;
  chosen: string | null;
  search: string;
  revocation: ReturnType<typeof useRevocation>;
  onSearch: (text: string) => void;
  onChoose: (id: string) => void;
  onEverybody: () => void;
  onRevokeAll: () => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  const fresh = useNewIds(`${appRef} ${onlyUser}`, list.data);
  const columns = useMemo(() => sessionColumns(revoke, revoking), [revoke, revoking]);
  useKeys(
    useMemo<readonly Binding[]>(
      () => [{ keys: 'f', group: 'Sessions', does: 'Search', run: () => field.current?.focus() }],
      [],
    ),
  );
  const none = list.data?.length === 0;
  return (
    <Sheet
      title="Sessions"
      filters={
        <>
          {onlyUser !== null && <UserChip who={who} onRemove={onEverybody} />}
          <SearchField
            ref={field}
            label="Search sessions"
            example="E-mail, client or address"
            value={search}
            onSearch={onSearch}
          />
        </>
      }
      tools={
        <Button small kind="danger" offBecause={none ? 'No active sessions.' : null} onClick={onRevokeAll}>
          {onlyUser === null ? 'Revoke all' : 'Revoke all of this user'}
        </Button>
      }
      notice={
        <>
          {list.error && (
            <Failure facts={failureFacts(list.error)} onRetry={() => void list.refetch()} busy={list.isFetching} />
          )}
          {refused && <Failure facts={failureFacts(refused)} onRetry={retry} />}
        </>
      }
      foot={
        <SessionsFoot
          appRef={appRef}
          all={list.data}
          shown={sessions?.length ?? 0}
          everybodys={onlyUser === null}
          at={list.dataUpdatedAt}
          stale={list.isError}
        />
      }
    >
      <SheetRows<SessionRow>
        label="Sessions"
        columns={columns}
        rows={sessions}
        total={sessions?.length ?? -1}
        selected={chosen}
        fresh={fresh}
        onOpen={({ id }) => onChoose(id)}
        isError={list.isError}
        empty={
          <NoSessions
            appRef={appRef}
            all={list.data?.length ?? 0}
            who={onlyUser === null ? null : who}
            search={search}
            onClear={() => onSearch('')}
            onEverybody={onEverybody}
          />
        }
      />
    </Sheet>
  );
}

/** Returns the function that opens a session, which is part of the address; null closes it. */
function useChosenSession() {
  const navigate = useNavigate({ from: '/app/$ref/sessions' });
  return useCallback(
    (id: string | null) =>
      void navigate({
        search: ({ session: _, ...rest }) => (id === null ? rest : { ...rest, session: id }),
        replace: true,
      }),
    [navigate],
  );
}

/**
 * Returns the function that revokes a session.
 * @param onRevoked Called after it. Must be memoised.
 */
function useRevocation(ref: string, onRevoked: () => void) {
  const { mutate, isPending, variables, error: refused } = useMutation(revokeSession(ref));
  const revoke = useCallback((id: string) => mutate(id, { onSuccess: onRevoked }), [mutate, onRevoked]);
  const retry = () => {
    if (variables !== undefined) revoke(variables);
  };
  return { revoke, revoking: isPending ? variables : null, refused, retry };
}

/** Asks before all sessions of the app or of a user are revoked. */
function SessionDialogs({
  appRef,
  dialog,
  who,
  onlyUser,
  session,
  sessions,
  onDone,
  onClose,
}: {
  appRef: string;
  dialog: 'user' | 'all' | null;
  who: string;
  onlyUser: string | null;
  session: SessionRow | undefined;
  sessions: readonly SessionRow[] | undefined;
  onDone: (revoked: number) => void;
  onClose: () => void;
}) {
  if (dialog === 'all') return <RevokeAllDialog appRef={appRef} onDone={onDone} onClose={onClose} />;
  const userId = session?.user_id ?? onlyUser;
  if (dialog !== 'user' || userId === null) return null;
  return (
    <RevokeUserDialog
      appRef={appRef}
      userId={userId}
      who={session ? whoOf(session) : who}
      count={sessions?.filter(({ user_id }) => user_id === userId).length ?? 0}
      onDone={onDone}
      onClose={onClose}
    />
  );
}

/** Returns the name of the user in the filter. Loads a user without a session. */
function useWho(ref: string, userId: string | null, sessions: readonly SessionRow[] | undefined): string {
  const first = sessions?.find((session) => session.user_id === userId);
  const { data } = useQuery({
    ...userQuery(ref, userId ?? ''),
    enabled: userId !== null && sessions !== undefined && first === undefined,
  });
  return first ? whoOf(first) : data ? nameOf(data) : (userId ?? '');
}

function SessionsFoot({
  appRef,
  all,
  shown,
  everybodys,
  at,
  stale,
}: {
  appRef: string;
  all: readonly SessionRow[] | undefined;
  /** Number of sessions that match the search. */
  shown: number;
  everybodys: boolean;
  at: number;
  stale: boolean;
}) {
  const { data } = useQuery(activity(appRef));
  if (!all) return <SheetFoot shown={stale ? 'Currently unavailable' : 'Counting'} />;
  const cut = all.length >= limits.sessionsPerPage.default;
  // The server returns only the newest sessions, and a total only for the whole app. The total for one user may be
  // unknown.
  const known = cut ? (everybodys ? Math.max(data?.sessions ?? 0, all.length) : null) : all.length;
  const total = known === null ? 'many' : counted(known, 'session');
  return (
    <SheetFoot
      shown={
        <FlashOnChange value={all.length}>
          {shown === known ? total : `${count(shown)} of ${total} shown`}
        </FlashOnChange>
      }
      {...(known !== null && known > 0 && { part: shown / known })}
      remark={
        <>
          {cut ? `the newest ${count(all.length)}; choose a user to see all of their sessions` : 'newest first'},{' '}
          <AsOf at={at} live={!stale} />
        </>
      }
    />
  );
}

/** Empty state of the sessions. */
function NoSessions({
  appRef,
  all,
  who,
  search,
  onClear,
  onEverybody,
}: {
  appRef: string;
  /** Number of sessions without the search. */
  all: number;
  who: string | null;
  search: string;
  onClear: () => void;
  onEverybody: () => void;
}) {
  if (all > 0) {
    return (
      <Empty title={`No session matches “${search}”`}>
        <p>{counted(all, 'session does', 'sessions do')} without the search.</p>
        <Button onClick={onClear}>Clear the search</Button>
      </Empty>
    );
  }
  if (who !== null) {
    return (
      <Empty title={`${who} has no active sessions`}>
        <p>A session begins when the user signs in. It ends when the user signs out or you revoke it.</p>
        <Button onClick={onEverybody}>Show all sessions</Button>
      </Empty>
    );
  }
  return (
    <Empty title="No active sessions">
      <p>A session begins when a member signs in. It is listed here until the member signs out or you revoke it.</p>
      <Link to="/app/$ref/users" params={{ ref: appRef }} className={buttonClass()}>
        Users
      </Link>
    </Empty>
  );
}
