import { useParams } from '@tanstack/react-router';
import { Opening } from '../../../ui/opening.tsx';
import { Page } from '../../frame/page.tsx';

export function UsersPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/users' });
  return (
    <Page crumbs={[{ text: ref }, { text: 'Users' }]}>
      <Opening name="Workshop" question="Users" />
    </Page>
  );
}
