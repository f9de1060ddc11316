import { useMutation, useQuery } from '@tanstack/react-query';
import type { QueueList } from '../../../../contract/queues.ts';
import { Button } from '../../../ui/button.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { counted } from '../../format/format.ts';
import { failureFacts } from '../../queries/api-failure.ts';
import { refreshQueues } from '../../queries/queues.ts';
import { appSettings, changeSettings } from '../../queries/settings.ts';
import { clientAccess } from './client-words.ts';
import styles from './queues.module.css';

const SCHEMA = 'pgmq_public';

/** Says whether clients reach the functions of queues, with the button that changes it. */
export function ExposedSentence({ appRef, list: { exposed, queues } }: { appRef: string; list: QueueList }) {
  const settings = useQuery(appSettings(appRef));
  const { mutate, isPending, error } = useMutation(changeSettings(appRef));
  const stored = settings.data?.get('db_schemas')?.value;
  const schemas = Array.isArray(stored) ? stored.filter((each) => typeof each === 'string') : null;
  const used = queues.filter((queue) => clientAccess(queue, exposed).state !== 'closed').length;
  const change = () => {
    const next = exposed ? schemas?.filter((each) => each !== SCHEMA) : [...(schemas ?? []), SCHEMA];
    mutate({ db_schemas: next }, { onSettled: () => refreshQueues(appRef) });
  };
  return (
    <>
      <div className={styles.sentence}>
        <span>
          {exposed
            ? `Clients call the functions of ${SCHEMA}, and may use ${used === 0 ? 'no queue' : counted(used, 'queue')} of these.`
            : `Clients cannot use queues, because the schema ${SCHEMA} is not exposed.`}
        </span>
        <Button
          small
          busy={isPending && 'Saving'}
          offBecause={schemas === null ? 'The settings are being loaded.' : null}
          onClick={change}
        >
          {exposed ? 'Stop exposing' : 'Expose to clients'}
        </Button>
      </div>
      {error && <FailureNote facts={failureFacts(error)} />}
    </>
  );
}
