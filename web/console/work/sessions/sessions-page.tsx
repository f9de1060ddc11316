import { useParams } from '@tanstack/react-router';
import { Opening } from '../../../ui/opening.tsx';
import { Page } from '../../frame/page.tsx';

export function SessionsPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/sessions' });
  return (
    <Page crumbs={[{ text: ref }, { text: 'Sessions' }]}>
      <Opening name="Workshop" question="Sessions" />
    </Page>
  );
}
