import { useMutation, useQuery } from '@tanstack/react-query';
import { Button } from '../../../ui/button.tsx';
import { Code } from '../../../ui/code.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { KeyValues, Panel, PanelSection, type PanelSteps } from '../../../ui/panel.tsx';
import { counted, dateTime } from '../../format/format.ts';
import { failureFacts } from '../../queries/api-failure.ts';
import { archiveMessage, deleteMessage, queueMessage } from '../../queries/queues.ts';
import { printJson } from './print-json.ts';
import styles from './queues.module.css';
import { VisibleAt } from './visible-at.tsx';

/** One message complete, with the buttons that archive and delete it. */
export function MessagePanel({
  appRef,
  queue,
  id,
  isArchive,
  onRemoved,
  ...steps
}: {
  appRef: string;
  queue: string;
  id: string;
  isArchive: boolean;
  /** Called after the message was archived or deleted. */
  onRemoved: () => void;
} & PanelSteps) {
  const message = useQuery(queueMessage(appRef, queue, id, isArchive));
  const archiving = useMutation(archiveMessage(appRef, queue));
  const deleting = useMutation(deleteMessage(appRef, queue, isArchive));
  const failed = archiving.error ?? deleting.error ?? message.error;
  const { data } = message;
  return (
    <Panel label="Selected message" title={`Message ${id}`} {...steps}>
      <div className={styles.actions}>
        {!isArchive && (
          <Button
            small
            offBecause={data ? null : 'The message is not loaded.'}
            busy={archiving.isPending && 'Archiving'}
            onClick={() => archiving.mutate(id, { onSuccess: onRemoved })}
          >
            Archive
          </Button>
        )}
        <Button
          small
          kind="danger"
          offBecause={data ? null : 'The message is not loaded.'}
          busy={deleting.isPending && 'Deleting'}
          onClick={() => deleting.mutate(id, { onSuccess: onRemoved })}
        >
          Delete
        </Button>
      </div>
      {failed && <FailureNote facts={failureFacts(failed)} />}
      {data && (
        <>
          <PanelSection title="Message">
            <Code code={printJson(data.body)} language="json" label="the message" wrap />
          </PanelSection>
          {data.headers !== null && (
            <PanelSection title="Headers">
              <Code code={printJson(data.headers)} language="json" label="the headers" wrap />
            </PanelSection>
          )}
          <PanelSection title="Times">
            <KeyValues
              pairs={[
                ['Read', data.read_count === 0 ? 'not yet' : counted(data.read_count, 'time')],
                ['Enqueued', dateTime(data.enqueued_at)],
                !data.archived_at && ['Visible', <VisibleAt key="visible" iso={data.visible_at} />],
                data.archived_at !== undefined && ['Archived', dateTime(data.archived_at)],
              ]}
            />
          </PanelSection>
        </>
      )}
    </Panel>
  );
}
