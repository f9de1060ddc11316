import type { ErrorComponentProps } from '@tanstack/react-router';
import { t } from '../language/messages.ts';
import { Button } from '../ui/button.tsx';
import { MissingCode } from '../ui/recovery/code.ts';
import { reload, useRecovery } from '../ui/recovery/use-recovery.ts';
import { AuthLayout, Wrong } from './sign-in/auth-layout.tsx';

/**
 * Shows in the place of a page that the page failed. If a part of its code is missing, for example because a new build
 * has replaced the build of an open page, the page is reloaded once as soon as the app responds.
 */
export function PageFailure({ error }: ErrorComponentProps) {
  useRecovery(error, null);
  return (
    <AuthLayout title={t('pageFailed')}>
      <Wrong>{t(error instanceof MissingCode ? 'pageFailedCode' : 'pageFailedWhy')}</Wrong>
      <Button kind="first" onClick={reload}>
        {t('reload')}
      </Button>
    </AuthLayout>
  );
}
