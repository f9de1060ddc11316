import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { buttonClass } from '../../../ui/button.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { ApiFailure } from '../../queries/api-failure.ts';
import { definedRoles } from '../../queries/roles.ts';
import { ScreenEditorPage } from './editor/screen-editor-page.tsx';
import { MenuEditorPage } from './menu/menu-editor-page.tsx';
import { OpenedPreview } from './opened-preview.tsx';
import { ScreenList } from './screen-list.tsx';
import { ScreenPictures } from './screen-pictures.tsx';

/**
 * Chapter 2: the screens of the app. Pictures show the real pages as one kind of member sees them; the list has every
 * screen. `open` in the address opens one page large; `edit` and `menu` open the editors.
 */
export function ScreensPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/screens' });
  const { view, open, screen, edit, kind, of, from, menu, as, member } = useSearch({
    from: '/signed-in/app/$ref/screens',
  });
  const navigate = useNavigate();
  const { error } = useQuery(definedRoles(ref));
  // A reader of the app may not read rows, so there are no pictures.
  const isReader = error instanceof ApiFailure && error.code === 'role_insufficient';
  // The address of a screen in the list is in links of other pages.
  const shown = isReader || view === 'list' || (screen !== undefined && view === undefined) ? 'list' : 'pictures';
  const tabs = (
    <>
      <Link to="/app/$ref/screens/labels" params={{ ref }} className={buttonClass({ kind: 'quiet' })}>
        Labels by language
      </Link>
      <Segmented
        label="View"
        value={shown}
        options={[
          ['pictures', 'Pictures'],
          ['list', 'List'],
        ]}
        onChange={(to) =>
          void navigate({ to: '/app/$ref/screens', params: { ref }, search: to === 'list' ? { view: to } : {} })
        }
      />
    </>
  );
  const leave = () =>
    void navigate({
      to: '/app/$ref/screens',
      params: { ref },
      search: { ...(as && { as }), ...(member && { member }) },
    });
  if (edit !== undefined && !isReader) {
    return <ScreenEditorPage appRef={ref} address={{ edit, kind, of, from }} onDone={leave} />;
  }
  if (menu !== undefined && !isReader) return <MenuEditorPage appRef={ref} role={menu} onDone={leave} />;
  if (open !== undefined && !isReader) return <OpenedPreview appRef={ref} path={open} />;
  if (shown === 'list') return <ScreenList appRef={ref} tabs={isReader ? null : tabs} />;
  return <ScreenPictures appRef={ref} tabs={tabs} />;
}
