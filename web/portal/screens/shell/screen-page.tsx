import { useLocation } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { ReferenceControlContext } from '../../../fields/editor.tsx';
import { MentionSearchContext } from '../../../fields/mention-text.tsx';
import { t } from '../../../language/messages.ts';
import { code } from '../../../ui/recovery/code.ts';
import { useMentionSearch } from '../../queries/member-names.ts';
import { pageAt, placeAt, useScreens } from '../../queries/screens.ts';
import { AuthLayout } from '../../sign-in/auth-layout.tsx';
import { ListPage } from '../list/list-page.tsx';
import { Message } from '../shared/message.tsx';
import { ToSignIn, useCaller } from './gate.tsx';

const DetailPage = lazy(
  code(() => import('../detail/detail-page.tsx').then(({ DetailPage: page }) => ({ default: page }))),
);
const FormPage = lazy(code(() => import('../form/form-page.tsx').then(({ FormPage: page }) => ({ default: page }))));
const CalendarPage = lazy(
  code(() => import('../calendar/calendar-page.tsx').then(({ CalendarPage: page }) => ({ default: page }))),
);
const GalleryPage = lazy(
  code(() => import('../gallery/gallery-page.tsx').then(({ GalleryPage: page }) => ({ default: page }))),
);
const FiguresPage = lazy(
  code(() => import('../figures/figures-page.tsx').then(({ FiguresPage: page }) => ({ default: page }))),
);
const BoardPage = lazy(
  code(() => import('../board/board-page.tsx').then(({ BoardPage: page }) => ({ default: page }))),
);

const PartsPage = lazy(code(() => import('../page/parts-page.tsx').then(({ PartsPage: page }) => ({ default: page }))));

const MemberReference = lazy(
  code(() =>
    import('../../fields/member-reference.tsx').then(({ MemberReference: control }) => ({ default: control })),
  ),
);

/** Shows the page or the screen whose route matches the address, if the caller may open it. */
export function ScreenPage() {
  const all = useScreens();
  const caller = useCaller();
  const mentionSearch = useMentionSearch();
  const { pathname, search } = useLocation();
  const page = pageAt(all, pathname);
  if (page) {
    return (
      <Suspense fallback={<AuthLayout title={page.title}>{null}</AuthLayout>} key={pathname}>
        <PartsPage page={page} />
      </Suspense>
    );
  }
  const place = placeAt(all, pathname);
  // While the code of an account page is loaded, the address is already that of this page.
  if (/^\/account(\/|$)/.test(pathname)) return null;
  if (!place && !caller) return <ToSignIn />;
  if (!place) {
    return <Message title={t('noPage')}>{t('noPageWhy')}</Message>;
  }
  const { screen } = place;
  const edits = screen.kind === 'detail' && 'edit' in (search as object);
  return (
    <Suspense fallback={<AuthLayout title={screen.title}>{null}</AuthLayout>} key={pathname}>
      <ReferenceControlContext value={MemberReference}>
        <MentionSearchContext value={mentionSearch}>
          {screen.kind === 'list' && <ListPage {...place} />}
          {screen.kind === 'board' && <BoardPage {...place} />}
          {screen.kind === 'calendar' && <CalendarPage {...place} />}
          {screen.kind === 'gallery' && <GalleryPage {...place} />}
          {screen.kind === 'figures' && <FiguresPage {...place} />}
          {screen.kind === 'form' && <FormPage {...place} rowKey={null} />}
          {screen.kind === 'detail' && (edits ? <FormPage {...place} /> : <DetailPage {...place} />)}
        </MentionSearchContext>
      </ReferenceControlContext>
    </Suspense>
  );
}
