import { useMutation, useQuery } from '@tanstack/react-query';
import type { RealtimeTable } from '../../../../contract/realtime.ts';
import type { ChangeCell } from '../../../../contract/specification-roles.ts';
import { FailureNote } from '../../../ui/failure.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { publishTable } from '../../queries/realtime.ts';
import { specification } from '../../queries/specification.ts';
import styles from './realtime.module.css';

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

/** Returns who receives the changes of a table in words: "authenticated if own row (by owner); service_role always". Pure. */
function receiverWords(changes: readonly ChangeCell[] | undefined, entity: string): string {
  const cells = changes?.filter((cell) => cell.entity === entity && cell.verdict !== 'never');
  if (!cells || changes?.every((cell) => cell.entity !== entity))
    return 'each change goes to those who may read the row';
  const words = new Map<string, string[]>();
  for (const cell of cells) {
    const when = cell.verdict === 'always' ? 'always' : cell.words === '' ? 'for some rows' : `if ${cell.words}`;
    words.set(when, [...(words.get(when) ?? []), cell.role]);
  }
  return cells.length === 0
    ? 'nobody may read it, so nobody receives its changes'
    : [...words].map(([when, roles]) => `${roles.join(', ')} ${when}`).join('; ');
}
