import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import styles from './account-page.module.css';

/** Shows new recovery codes. The server sends them only once. */
export function CodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <Dialog title="Recovery codes" onClose={onClose}>
      <p className={styles.words}>
        Each code replaces your second factor once. Store them now: the console does not show them later.
      </p>
      <ul className={styles.codes} aria-label="Codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <CopyButton text={codes.join('\n')} what="the recovery codes" word />
    </Dialog>
  );
}
