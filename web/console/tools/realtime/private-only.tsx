import { useMutation } from '@tanstack/react-query';
import { FailureNote } from '../../../ui/failure.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { refreshRealtime } from '../../queries/realtime.ts';
import { changeSettings } from '../../queries/settings.ts';
import styles from './realtime.module.css';

/** The setting that refuses public channels. */
export function PrivateOnly({ appRef, isOn }: { appRef: string; isOn: boolean }) {
  const { mutate, isPending, variables, error } = useMutation(changeSettings(appRef));
  const shown = isPending ? variables.realtime_private_only === true : isOn;
  return (
    <section className={styles.section}>
      <h2>Private channels only</h2>
      {error && <FailureNote facts={failureFacts(error)} />}
      <ul className={styles.tables}>
        <li>
          <Switch
            label="Private channels only"
            isOn={shown}
            isBusy={isPending}
            onChange={(next) =>
              mutate({ realtime_private_only: next || undefined }, { onSettled: () => refreshRealtime(appRef) })
            }
          />
          <span className={styles.wide}>
            {shown
              ? 'Clients join private channels only. Policies on realtime.messages decide who joins and who sends.'
              : 'Anybody with the publishable key may join and send on public channels. Private channels have policies.'}
          </span>
        </li>
      </ul>
    </section>
  );
}
