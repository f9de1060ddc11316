import { IconExternalLink, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { MailDetail, MailRow } from '../../../../contract/mails.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Failure, FailureNote } from '../../../ui/failure.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { KeyValues, Panel, PanelSection, type PanelSteps, VerdictLine } from '../../../ui/panel.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { dateTime } from '../../format/format.ts';
import { failureFacts } from '../../queries/api-failure.ts';
import { deleteMail, mail as mailQuery, resendMail } from '../../queries/mails.ts';
import styles from './mail.module.css';
import { MailFrame } from './mail-frame.tsx';
import { kindWords, stateWords } from './mail-words.ts';

/** Panel of a mail as its recipient sees it, with its link and its code. */
export function MailPanel({
  appRef,
  id,
  listed,
  ...steps
}: {
  appRef: string;
  id: string;
  listed: MailRow | undefined;
} & PanelSteps) {
  const { data, error, refetch, isFetching } = useQuery(mailQuery(appRef, id));
  const row = data ?? listed;
  return (
    <Panel label="Selected mail" title={row ? kindWords(row.kind) : 'Mail'} {...steps}>
      {error && <Failure facts={failureFacts(error)} onRetry={() => void refetch()} busy={isFetching} />}
      {data && <Content appRef={appRef} mail={data} onDeleted={steps.onClose} />}
    </Panel>
  );
}

function Content({ appRef, mail, onDeleted }: { appRef: string; mail: MailDetail; onDeleted: () => void }) {
  const [word, kind] = stateWords[mail.state];
  const isText = mail.channel === 'sms';
  return (
    <>
      <VerdictLine>{isText ? `Text to ${mail.recipient}` : mail.subject}</VerdictLine>
      <Actions appRef={appRef} mail={mail} onDeleted={onDeleted} />
      {mail.template_error && (
        <p className={styles.variables}>The template is broken, so the standard text is used: {mail.template_error}</p>
      )}
      {isText ? (
        <pre className={styles.text}>{mail.text || 'Ninefold removes the content after it has sent the text.'}</pre>
      ) : (
        <Tabs
          label="Parts of the mail"
          tabs={[
            { name: 'Mail', content: <MailFrame title={`Mail: ${mail.subject}`} html={mail.html} /> },
            { name: 'Plain text', content: <pre className={styles.text}>{mail.text}</pre> },
          ]}
        />
      )}
      <PanelSection title="Delivery">
        <KeyValues
          pairs={[
            [
              'Status',
              <Tag key="state" kind={kind}>
                {word}
              </Tag>,
            ],
            ['To', mail.recipient],
            !isText && ['From', mail.from ?? <span className="soft">no sender is set</span>],
            !isText && ['Language', mail.language],
            ['Queued', dateTime(mail.created_at)],
            mail.sent_at && ['Sent', dateTime(mail.sent_at)],
            mail.attempts > 0 && ['Attempts', String(mail.attempts)],
            mail.error && ['Last error', mail.error],
            mail.next_attempt_at && mail.attempts > 0 && ['Next attempt', dateTime(mail.next_attempt_at)],
            mail.user_id && [
              'Member',
              <Link key="member" to="/app/$ref/users" params={{ ref: appRef }} search={{ user: mail.user_id }}>
                Show the member
              </Link>,
            ],
          ]}
        />
      </PanelSection>
    </>
  );
}

function Actions({ appRef, mail, onDeleted }: { appRef: string; mail: MailDetail; onDeleted: () => void }) {
  const resend = useMutation(resendMail(appRef));
  const remove = useMutation(deleteMail(appRef));
  const refused = resend.error ?? remove.error;
  return (
    <>
      <div className={styles.actions}>
        {mail.link && (
          <a className={buttonClass({ small: true })} href={safeLink(mail.link)} target="_blank" rel="noreferrer">
            <Icon of={IconExternalLink} small />
            Open link
          </a>
        )}
        {mail.code && <CopyButton text={mail.code} what={`code ${mail.code}`} word={`Copy code ${mail.code}`} />}
        {mail.state !== 'sent' && (
          <Button small icon={IconRefresh} busy={resend.isPending && 'Queueing'} onClick={() => resend.mutate(mail.id)}>
            Send again
          </Button>
        )}
        <Button
          small
          kind="quiet"
          icon={IconTrash}
          busy={remove.isPending && 'Deleting'}
          onClick={() => remove.mutate(mail.id, { onSuccess: onDeleted })}
        >
          Delete
        </Button>
      </div>
      {refused && <FailureNote facts={failureFacts(refused)} />}
    </>
  );
}

/** Returns a link only if it begins with http or https, because the app's SQL can write any text as a link. */
const safeLink = (link: string): string => (/^https?:\/\//i.test(link) ? link : '#');
