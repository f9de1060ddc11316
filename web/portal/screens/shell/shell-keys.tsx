import { IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import { t } from '../../../language/messages.ts';
import { Icon } from '../../../ui/icon.tsx';
import { Kbd } from '../../../ui/kbd.tsx';
import { code } from '../../../ui/recovery/code.ts';
import { type Binding, caps } from '../../../ui/shortcuts/bindings.ts';
import { isMac, useKeys } from '../../../ui/shortcuts/keyboard.tsx';
import { type Place, useScreens } from '../../queries/screens.ts';
import styles from './shell.module.css';
import { useNewForm } from './use-new-form.ts';

const Palette = lazy(code(() => import('./palette.tsx').then((all) => ({ default: all.Palette }))));
const KeyHelp = lazy(code(() => import('./key-help.tsx').then((all) => ({ default: all.KeyHelp }))));

/** Binds the keys that work on every page. Shows the button of the search, and the dialogs that the keys open. */
export function ShellKeys({ place }: { place: Place | null }) {
  const navigate = useNavigate();
  const form = useNewForm();
  const all = useScreens();
  const [opened, setOpened] = useState<'palette' | 'help' | null>(null);
  const canChange = place?.screen.kind === 'detail' && place.entity.access.update.open;
  const hasForm = all.screens.some(({ kind, entity }) => kind === 'form' && entity === place?.entity.id);
  useKeys(
    useMemo((): Binding[] => {
      const binding = (keys: string, does: string, run: () => void): Binding => ({ keys, group: '', does, run });
      return [
        { ...binding('mod+k', t('searchOrGo'), () => setOpened('palette')), inFields: true },
        binding('/', t('searchList'), () => {
          const field = document.querySelector('search')?.querySelector('input');
          if (field) field.focus();
          else setOpened('palette');
        }),
        ...(form ? [binding('n', form.title, () => void navigate({ to: form.route }))] : []),
        ...(canChange && hasForm
          ? [binding('e', t('change'), () => void navigate({ to: '.', search: { edit: true } as never }))]
          : []),
        binding('?', t('allKeys'), () => setOpened('help')),
      ];
    }, [navigate, form, canChange, hasForm]),
  );
  const onClose = () => setOpened(null);
  return (
    <>
      <button type="button" className={styles.find} aria-label={t('searchOrGo')} onClick={() => setOpened('palette')}>
        <Icon of={IconSearch} />
        <span>{t('searchOrGo')}</span>
        <Kbd keys={caps('mod+k', isMac)} />
      </button>
      <Suspense>
        {opened === 'palette' && <Palette onClose={onClose} />}
        {opened === 'help' && <KeyHelp onClose={onClose} />}
      </Suspense>
    </>
  );
}
