import { useBlocker } from '@tanstack/react-router';
import { t } from '../../../language/messages.ts';
import { Button } from '../../../ui/button.tsx';
import { AskDialog, askButtonsClass } from '../shared/ask-dialog.tsx';

/** Asks a member who leaves a form with changes whether the draft stays on the device. */
export function LeaveDialog({ mayLeave, onDiscard }: { mayLeave: () => boolean; onDiscard: () => void }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => !mayLeave(),
    // A reload and a closed tab lose nothing, because the draft is stored.
    enableBeforeUnload: false,
    withResolver: true,
  });
  if (status !== 'blocked') return null;
  return (
    <AskDialog title={t('leaveTitle')} lead={t('leaveLead')} onClose={reset}>
      <div className={askButtonsClass}>
        <Button
          kind="danger"
          onClick={() => {
            onDiscard();
            proceed();
          }}
        >
          {t('leaveDiscard')}
        </Button>
        <Button onClick={proceed}>{t('leaveKeep')}</Button>
        <Button kind="first" onClick={reset} data-autofocus>
          {t('leaveStay')}
        </Button>
      </div>
    </AskDialog>
  );
}
