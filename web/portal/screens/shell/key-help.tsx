import { t } from '../../../language/messages.ts';
import { Kbd } from '../../../ui/kbd.tsx';
import { caps } from '../../../ui/shortcuts/bindings.ts';
import { isMac, useKeyboard } from '../../../ui/shortcuts/keyboard.tsx';
import styles from '../shared/modal.module.css';
import { Modal } from '../shared/modal.tsx';
import { SingleKeysChoice } from './single-keys-choice.tsx';

/** Lists the keys that work on the current page, and the keys that the browser or a control handles. */
export function KeyHelp({ onClose }: { onClose: () => void }) {
  const { bindings } = useKeyboard();
  const lines = [
    ...bindings.map(({ keys, does }) => [caps(keys, isMac), does] as const),
    [caps('enter', isMac), t('keyOpens')] as const,
    [caps('esc', isMac), t('keyCloses')] as const,
    [caps('mod+enter', isMac), t('keySaves')] as const,
  ];
  return (
    <Modal title={t('allKeys')} onClose={onClose}>
      <dl className={styles.keys}>
        {lines.map(([keys, does]) => (
          <div key={`${keys.join(' ')} ${does}`}>
            <dt>
              <Kbd keys={keys} />
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <SingleKeysChoice />
    </Modal>
  );
}
