import { t } from '../../../language/messages.ts';
import { Kbd } from '../../../ui/kbd.tsx';
import { caps } from '../../../ui/shortcuts/bindings.ts';
import { isMac } from '../../../ui/shortcuts/keyboard.tsx';
import styles from './calendar-page.module.css';
import type { Contents } from './use-calendar.ts';

/** Explains the looks of times, and the keys that choose a time. */
export function Legend({ contents: { free, rows, entries }, canChoose }: { contents: Contents; canChoose: boolean }) {
  const hasTaken = entries.some(({ kind }) => kind === 'taken');
  return (
    <div className={styles.legend}>
      {free !== null && <span data-look="free">{t('calendarFree')}</span>}
      {free !== null && rows && <span data-look="own">{t('calendarYours')}</span>}
      {(free !== null || hasTaken) && <span data-look="taken">{t('calendarTaken')}</span>}
      {free !== null && <span data-look="closed">{t('calendarClosedOrOver')}</span>}
      {canChoose && (
        <p>
          <Kbd keys={['← ↑ ↓ →']} /> {t('calendarMove')}
          <Kbd keys={caps('shift+↓', isMac)} /> {t('calendarLonger')}
          <Kbd keys={caps('enter', isMac)} /> {t('calendarChoose')}
        </p>
      )}
    </div>
  );
}
