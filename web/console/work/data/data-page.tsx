import { useParams } from '@tanstack/react-router';
import { Opening } from '../../../ui/opening.tsx';
import { Page } from '../../frame/page.tsx';

export function DataPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/data' });
  return (
    <Page crumbs={[{ text: ref }, { text: 'Data' }]}>
      <Opening name="Workshop" question="Data" />
    </Page>
  );
}
