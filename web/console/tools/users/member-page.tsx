import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { PanelSection } from '../../../ui/panel.tsx';
import { Page } from '../../layout/page.tsx';
import { ApiFailure, failureFacts } from '../../queries/api-failure.ts';
import { user as userQuery } from '../../queries/users.ts';
import { UserFacts } from './user-panel.tsx';
import { UserTrail } from './user-trail.tsx';
import { nameOf } from './user-words.ts';
import styles from './users.module.css';

/** Page of one member with all details. */
export function MemberPage() {
  const { ref, id } = useParams({ from: '/signed-in/app/$ref/users/$id' });
  const navigate = useNavigate();
  const { data: user, error, isFetching, refetch } = useQuery(userQuery(ref, id));
  const isGone = error instanceof ApiFailure && error.status === 404;
  const toList = () => void navigate({ to: '/app/$ref/users', params: { ref }, search: {} });
  return (
    <Page
      appRef={ref}
      crumbs={[{ text: 'Users', link: { to: '/app/$ref/users', params: { ref } } }, { text: user ? nameOf(user) : id }]}
      fetching={isFetching}
    >
      {isGone ? (
        <Empty title="There is no user with this id">
          <Button onClick={toList}>All users</Button>
        </Empty>
      ) : (
        error && <Failure facts={failureFacts(error)} onRetry={() => void refetch()} busy={isFetching} />
      )}
      {user && !isGone && (
        <article className={styles.member} aria-label="Member">
          <h1 className={styles.name}>{nameOf(user)}</h1>
          <h2 className={styles.memberPageAbout}>Account and actions</h2>
          <UserFacts appRef={ref} user={user} onDeleted={toList} />
          <PanelSection title="Trail">
            <UserTrail appRef={ref} userId={user.id} />
          </PanelSection>
        </article>
      )}
    </Page>
  );
}
