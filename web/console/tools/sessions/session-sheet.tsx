import { IconX } from '@tabler/icons-react';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { SessionRow } from '../../../../contract/admin.ts';
import { builderLimits } from '../../../../contract/limits/builders.ts';
import { Button } from '../../../ui/button.tsx';
import chip from '../../../ui/chip.module.css';
import { Failure } from '../../../ui/failure.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { FlashOnChange } from '../../../ui/live-value.tsx';
import { AsOf } from '../../../ui/page-header.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { Sheet, SheetFoot, SheetRows } from '../../../ui/sheet.tsx';
import { count, counted } from '../../format/format.ts';
import { QueryFailure } from '../../layout/query-failure.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { activity } from '../../queries/apps.ts';
import { useSearchKey } from '../../shortcuts/use-search-key.ts';
import { NoSessions } from './no-sessions.tsx';
import { sessionColumns } from './session-columns.tsx';
import styles from './session-sheet.module.css';
import { useNewIds } from './use-new-ids.ts';

/** The function that revokes one session, and its state. */
export interface Revocation {
  readonly revoke: (id: string) => void;
  /** Id of the session that is being revoked. */
  readonly revoking: string | null;
  /** The reason why the last attempt to revoke a session failed; null if it did not fail. */
  readonly refused: Error | null;
  readonly retry: () => void;
}

interface SessionSheetProps {
  appRef: string;
  list: UseQueryResult<SessionRow[]>;
  /** The sessions that match the search. */
  sessions: readonly SessionRow[] | undefined;
  onlyUser: string | null;
  who: string;
  chosen: string | null;
  search: string;
  revocation: Revocation;
  onSearch: (text: string) => void;
  onChoose: (id: string) => void;
  onEverybody: () => void;
  onRevokeAll: () => void;
}

/** The list of sessions with its filters. */
export function SessionSheet({
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
}: SessionSheetProps) {
  const field = useSearchKey('Sessions');
  const fresh = useNewIds(`${appRef} ${onlyUser}`, list.data);
  const columns = useMemo(() => sessionColumns(revoke, revoking), [revoke, revoking]);
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
          <QueryFailure query={list} />
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

/** Chip of the filter by user, with a button that removes the filter. */
function UserChip({ who, onRemove }: { who: string; onRemove: () => void }) {
  return (
    <span className={chip.chip}>
      <span className={`${styles.part} ${chip.field}`}>user</span>
      <span className={styles.part}>is</span>
      <span className={`${styles.part} ${chip.value} cut`}>{who}</span>
      <button type="button" className={chip.remove} aria-label="Show all sessions" onClick={onRemove}>
        <Icon of={IconX} small />
      </button>
    </span>
  );
}

/** Foot of the list: the number of sessions, and how old the list is. */
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
  const cut = all.length >= builderLimits.sessionsPerPage.default;
  // The server returns only the newest sessions, and it counts all sessions only for the whole app. So the total for
  // one user may be unknown.
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
