import { useParams } from '@tanstack/react-router';
import { Opening } from '../../../ui/opening.tsx';
import { Page } from '../../frame/page.tsx';

export function SqlPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/sql' });
  return (
    <Page crumbs={[{ text: ref }, { text: 'SQL' }]}>
      <Opening name="Workshop" question="SQL" />
    </Page>
  );
}
