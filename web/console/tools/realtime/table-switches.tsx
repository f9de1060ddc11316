import { useMutation, useQuery } from '@tanstack/react-query';
import type { RealtimeTable } from '../../../../contract/realtime.ts';
import { FailureNote } from '../../../ui/failure.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { publishTable } from '../../queries/realtime.ts';
import { specification } from '../../queries/specification.ts';
import styles from './realtime.module.css';
import { receiverWords } from './receiver-words.ts';

/** The tables whose changes realtime can report, each with a switch. */
export function TableSwitches({ appRef, tables }: { appRef: string; tables: readonly RealtimeTable[] }) {
  const { data } = useQuery(specification(appRef));
  const { mutate, isPending, variables, error } = useMutation(publishTable(appRef));
  const published = tables.filter((table) => table.published).length;
  const changes = data?.chapters.roles?.changes;
  return (
    <section className={styles.section}>
      <h2>
        Tables that send their changes <span>{`${published} of ${tables.length}`}</span>
      </h2>
      {tables.length === 0 && <p className="soft">The app has no table yet. Create one to send its changes.</p>}
      {error && <FailureNote facts={failureFacts(error)} />}
      <ul className={styles.tables}>
        {tables.map(({ schema, name, published: isOn, switchable }) => {
          const label = schema === 'public' ? name : `${schema}.${name}`;
          const isBusy = isPending && variables.schema === schema && variables.name === name;
          return (
            <li key={`${schema}.${name}`}>
              {switchable ? (
                <Switch
                  label={label}
                  isOn={isBusy ? variables.published : isOn}
                  isBusy={isBusy}
                  onChange={(next) => mutate({ schema, name, published: next })}
                />
              ) : (
                <span className="soft">on</span>
              )}
              <code className={styles.topic}>{label}</code>
              <span className="soft">
                {isOn ? receiverWords(changes, `${schema}.${name}`) : 'off: nobody receives its changes'}
                {switchable ? '' : '; the publication has all tables of the schema'}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
