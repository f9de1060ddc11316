import { t } from '../../../language/messages.ts';
import { useKeyboard } from '../../../ui/shortcuts/keyboard.tsx';
import styles from './choice.module.css';

/** Switches keys without Ctrl, Cmd or Alt on or off on this device (WCAG 2.1.4). */
export function SingleKeysChoice() {
  const { singleKeys, setSingleKeys } = useKeyboard();
  return (
    <label className={styles.choice}>
      <span>{t('singleKeys')}</span>
      <input
        type="checkbox"
        checked={singleKeys}
        onChange={({ currentTarget }) => setSingleKeys(currentTarget.checked)}
      />
    </label>
  );
}
