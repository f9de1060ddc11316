import { useParams } from '@tanstack/react-router';
import { Opening } from '../../../ui/opening.tsx';
import { Page } from '../../frame/page.tsx';
import { SpecificationVersion } from '../../frame/specification-version.tsx';
import { chapterPage } from '../chapter-pages.ts';

const { number, name, question } = chapterPage('entities');

export function EntitiesPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/entities' });
  return (
    <Page
      crumbs={[{ text: ref, link: { to: '/app/$ref', params: { ref } } }, { text: `${number} ${name}` }]}
      question={question}
      tools={<SpecificationVersion appRef={ref} />}
    >
      <Opening numeral={number} name={name} question={question} />
    </Page>
  );
}
