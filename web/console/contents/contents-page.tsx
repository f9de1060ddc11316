import { useParams } from '@tanstack/react-router';
import { Opening } from '../../ui/opening.tsx';
import { Page } from '../frame/page.tsx';
import { SpecificationVersion } from '../frame/specification-version.tsx';

export function ContentsPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/' });
  return (
    <Page crumbs={[{ text: ref }, { text: 'Contents' }]} tools={<SpecificationVersion appRef={ref} />}>
      <Opening name="A specification in nine chapters" question={`What does ${ref} do?`} />
    </Page>
  );
}
