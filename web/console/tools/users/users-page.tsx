import type { User } from '@supabase/supabase-js';
import { IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Code } from '../../../ui/code.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { AsOf } from '../../../ui/page-header.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { Sheet, SheetFoot, SheetRows } from '../../../ui/sheet.tsx';
import { useKeys } from '../../../ui/shortcuts/keyboard.tsx';
import { count, counted } from '../../format/format.ts';
import { Page } from '../../layout/page.tsx';
import { QueryFailure } from '../../layout/query-failure.tsx';
import { useSearchParameter } from '../../layout/use-search-parameter.ts';
import { activity } from '../../queries/apps.ts';
import { userList, usersPageSize } from '../../queries/users.ts';
import { usePanelSteps } from '../../shortcuts/use-panel-steps.ts';
import { useSearchKey } from '../../shortcuts/use-search-key.ts';
import { CreateUserDialog } from './create-user-dialog.tsx';
import { userColumns, userLine } from './user-columns.tsx';
import { UserPanel } from './user-panel.tsx';

const signUpCode = `const { data, error } = await supabase.auth.signUp({
  email: 'ada@example.com',
  password: 'a long password',
})`;

/** Page of an app's members, on which a builder finds, creates, bans and deletes users and resets their passwords. */
export function UsersPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/users' });
  const [chosen, choose] = useSearchParameter('user');
  const [text, find] = useSearchParameter('q');
  const q = text ?? '';
  const [creating, setCreating] = useState(false);
  const search = useSearchKey('Users');
  const list = useInfiniteQuery(userList(ref, q));
  const users = list.data?.users;

  const steps = usePanelSteps(users, chosen, choose);
  useKeys(useMemo(() => [{ keys: 'i', group: 'Users', does: 'Create user', run: () => setCreating(true) }], []));

  return (
    <Page
      bare
      appRef={ref}
      crumbs={[{ text: 'Users' }]}
      fetching={list.isLoading}
      panel={
        chosen !== null && (
          <UserPanel key={chosen} appRef={ref} id={chosen} listed={users?.find(({ id }) => id === chosen)} {...steps} />
        )
      }
    >
      <Sheet
        title="Users"
        filters={
          <SearchField ref={search} label="Search users" example="E-mail, name or id" value={q} onSearch={find} />
        }
        tools={
          <>
            <Link to="/app/$ref/import-users" params={{ ref }} className={buttonClass({ small: true })}>
              Import
            </Link>
            <Button small icon={IconPlus} onClick={() => setCreating(true)}>
              Create user
            </Button>
          </>
        }
        notice={<QueryFailure query={list} />}
        foot={
          <UsersFoot
            users={users}
            total={list.data?.total}
            isEstimated={list.data?.isEstimated ?? false}
            at={list.dataUpdatedAt}
            stale={list.isError}
            more={list.hasNextPage ? { busy: list.isFetchingNextPage, onMore: () => void list.fetchNextPage() } : null}
          />
        }
      >
        <SheetRows<User>
          label="Users"
          columns={userColumns}
          phoneLine={userLine}
          rows={users}
          total={list.data?.total ?? -1}
          selected={chosen}
          onOpen={({ id }) => choose(id)}
          isError={list.isError}
          empty={<NoUsers appRef={ref} search={q} onClear={() => find('')} onCreate={() => setCreating(true)} />}
        />
      </Sheet>
      {creating && (
        <CreateUserDialog
          appRef={ref}
          onClose={() => setCreating(false)}
          onMade={(id) => {
            setCreating(false);
            choose(id);
          }}
        />
      )}
    </Page>
  );
}

function UsersFoot({
  users,
  total = 0,
  isEstimated,
  at,
  stale,
  more,
}: {
  users: readonly User[] | undefined;
  total: number | undefined;
  isEstimated: boolean;
  at: number;
  stale: boolean;
  more: { busy: boolean; onMore: () => void } | null;
}) {
  if (!users) return <SheetFoot shown={stale ? 'Currently unavailable' : 'Counting'} />;
  return (
    <SheetFoot
      shown={
        more
          ? `${count(users.length)} of ${isEstimated ? 'about ' : ''}${counted(total, 'user')} shown`
          : `${counted(users.length, 'user')}`
      }
      part={total === 0 ? 1 : users.length / total}
      more={more && { word: `Load ${count(Math.min(usersPageSize, total - users.length))} more`, ...more }}
      remark={
        <>
          newest first, <AsOf at={at} live={!stale} />
        </>
      }
    />
  );
}

/** Empty state of the users. */
function NoUsers({
  appRef,
  search,
  onClear,
  onCreate,
}: {
  appRef: string;
  search: string;
  onClear: () => void;
  onCreate: () => void;
}) {
  const { data } = useQuery(activity(appRef));
  if (search !== '') {
    return (
      <Empty title={`No user matches “${search}”`}>
        <p>
          The search covers addresses, names and complete ids.
          {data && ` ${counted(data.members, 'user')} ${data.members === 1 ? 'does' : 'do'} without the search.`}
        </p>
        <Button onClick={onClear}>Clear the search</Button>
      </Empty>
    );
  }
  return (
    <Empty title="No users yet">
      <p>Users appear here when they sign up in the app. You can also create a user with a password of your choice.</p>
      <Code code={signUpCode} language="javascript" label="the sign-up in supabase-js" />
      <Button kind="first" icon={IconPlus} onClick={onCreate}>
        Create user
      </Button>
    </Empty>
  );
}
