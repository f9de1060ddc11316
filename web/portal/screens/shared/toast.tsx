import { createContext, type ReactNode, use, useCallback, useEffect, useState } from 'react';
import { t } from '../../../language/messages.ts';
import { Button } from '../../../ui/button.tsx';
import styles from './toast.module.css';

/** Time in ms for which a message is shown. While the pointer is over a message or it has the focus, it stays. */
const SHOWN_MILLISECONDS = 6000;

/** A message about a change, which the member may be able to undo. */
export interface Toast {
  readonly words: string;
  /** Undoes the change. The promise is rejected with the server's error if the server refuses. */
  readonly undo?: (() => Promise<unknown>) | undefined;
}

const ToastContext = createContext<(toast: Toast | null) => void>(() => undefined);

/** Returns a function that shows a message at the lower edge of the page. Null removes the message, for example before the next change. */
export const useToast = (): ((toast: Toast | null) => void) => use(ToastContext);

/** Shows the newest message below its children. */
export function Toasts({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<Toast | null>(null);
  const show = useCallback((toast: Toast | null) => setShown(toast), []);
  return (
    <ToastContext value={show}>
      {children}
      <div role="status" className={styles.place}>
        {shown && <Shown key={shown.words} toast={shown} onChange={setShown} />}
      </div>
    </ToastContext>
  );
}

function Shown({ toast, onChange }: { toast: Toast; onChange: (toast: Toast | null) => void }) {
  const [isHeld, setIsHeld] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  useEffect(() => {
    if (isHeld || isBusy) return;
    const timer = setTimeout(() => onChange(null), SHOWN_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [isHeld, isBusy, onChange]);
  const { words, undo } = toast;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: The handlers only keep the message on the page.
    <div
      className={styles.toast}
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocus={() => setIsHeld(true)}
      onBlur={() => setIsHeld(false)}
    >
      <span>{words}</span>
      {undo && (
        <Button
          small
          busy={isBusy && t('undoing')}
          onClick={() => {
            setIsBusy(true);
            undo().then(
              () => onChange({ words: t('undone') }),
              () => onChange({ words: t('undoLate') }),
            );
          }}
        >
          {t('undo')}
        </Button>
      )}
    </div>
  );
}
