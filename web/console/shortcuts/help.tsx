import { Dialog } from '../../ui/dialog.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { caps } from '../../ui/shortcuts/bindings.ts';
import { isMac, useKeyboard } from '../../ui/shortcuts/keyboard.tsx';
import styles from './help.module.css';

/** Lists the keys that work on the current page. */
export function Help({ onClose }: { onClose: () => void }) {
  const { bindings, singleKeys, setSingleKeys } = useKeyboard();
  const groups = [...new Set(bindings.map(({ group }) => group))];
  return (
    <Dialog title="Keyboard" onClose={onClose} width={720}>
      <div className={styles.groups}>
        {groups.map((group) => (
          <section key={group}>
            <h3 className={styles.heading}>{group}</h3>
            <dl>
              {bindings
                .filter((binding) => binding.group === group)
                .map(({ keys, does }) => (
                  <div key={`${keys} ${does}`} className={styles.line}>
                    <dt>
                      <Kbd keys={caps(keys, isMac)} />
                    </dt>
                    <dd>{does}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
      <label className={styles.single}>
        <input type="checkbox" checked={singleKeys} onChange={(event) => setSingleKeys(event.currentTarget.checked)} />
        Single-key shortcuts. Shortcuts are off while you type in a field.
      </label>
    </Dialog>
  );
}
