import { Switch } from '../../../../ui/switch.tsx';
import styles from '../functions.module.css';

/** Switch that decides whether callers need a key or a token, with the consequence in words. */
export const VerifyField = ({
  verifies,
  isBusy = false,
  onChange,
}: {
  verifies: boolean;
  isBusy?: boolean;
  onChange: (verifies: boolean) => void;
}) => (
  <div className={styles.switch}>
    <Switch label="Verify callers" isOn={verifies} isBusy={isBusy} onChange={onChange} />
    <span>
      {verifies
        ? 'Callers send a key of the app or the token of a member.'
        : 'Everybody who knows the address may call. The code decides who is served.'}
    </span>
  </div>
);
