import { Opening } from '../../ui/opening.tsx';
import { Page } from '../frame/page.tsx';

export function AppsPage() {
  return (
    <Page crumbs={[{ text: 'Apps' }]}>
      <Opening name="Node" question="Which apps run here?" />
    </Page>
  );
}
