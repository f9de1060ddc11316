import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import type { SessionRow } from '../../../../contract/admin.ts';
import { counted } from '../../format/format.ts';
import { Page } from '../../layout/page.tsx';
import { useSearchParameter } from '../../layout/use-search-parameter.ts';
import { revokeSession, sessionList } from '../../queries/sessions.ts';
import { user as userQuery } from '../../queries/users.ts';
import { usePanelSteps } from '../../shortcuts/use-panel-steps.ts';
import { nameOf } from '../users/user-words.ts';
import { SessionDialogs } from './revoke-dialogs.tsx';
import { searchSessions } from './search-sessions.ts';
import { whoOf } from './session-columns.tsx';
import { SessionPanel } from './session-panel.tsx';
import { type Revocation, SessionSheet } from './session-sheet.tsx';

/** Page of an app's sessions, with the buttons that end them. */
export function SessionsPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/sessions' });
  const { user: onlyUser = null } = useSearch({ from: '/signed-in/app/$ref/sessions' });
  const [chosen, choose] = useSearchParameter('session');
  const navigate = useNavigate({ from: '/app/$ref/sessions' });
  const [search, setSearch] = useState('');
  const [dialog, setDialog] = useState<'user' | 'all' | null>(null);
  const [said, setSaid] = useState('');

  const list = useQuery(sessionList(ref, onlyUser));
  const who = useWho(ref, onlyUser, list.data);
  const sessions = useMemo(() => list.data && searchSessions(list.data, search), [list.data, search]);
  const session = list.data?.find(({ id }) => id === chosen);

  const afterRevocation = useCallback(() => {
    setSaid('The session was revoked.');
    choose(null);
  }, [choose]);
  const revocation = useRevocation(ref, afterRevocation);
  const { revoke, revoking } = revocation;
  const steps = usePanelSteps(sessions, chosen, choose);
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
            {...steps}
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

/**
 * Returns the function that revokes a session, and its state.
 * @param onRevoked Called after the session is revoked. Must be memoised.
 */
function useRevocation(ref: string, onRevoked: () => void): Revocation {
  const { mutate, isPending, variables, error: refused } = useMutation(revokeSession(ref));
  const revoke = useCallback((id: string) => mutate(id, { onSuccess: onRevoked }), [mutate, onRevoked]);
  const retry = () => {
    if (variables !== undefined) revoke(variables);
  };
  return { revoke, revoking: isPending ? variables : null, refused, retry };
}

/** Returns the name of the user by whom the list is filtered. If the list contains no session of the user, loads the user. */
function useWho(ref: string, userId: string | null, sessions: readonly SessionRow[] | undefined): string {
  const first = sessions?.find((session) => session.user_id === userId);
  const { data } = useQuery({
    ...userQuery(ref, userId ?? ''),
    enabled: userId !== null && sessions !== undefined && first === undefined,
  });
  return first ? whoOf(first) : data ? nameOf(data) : (userId ?? '');
}
