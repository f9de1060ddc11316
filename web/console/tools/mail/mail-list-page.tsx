import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { mailLimits } from '../../../../contract/limits/mails.ts';
import type { MailRow } from '../../../../contract/mails.ts';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { AsOf } from '../../../ui/page-header.tsx';
import type { RowColumn } from '../../../ui/row-table.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { Sheet, SheetFoot, SheetRows } from '../../../ui/sheet.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { counted } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import { Page } from '../../layout/page.tsx';
import { QueryFailure } from '../../layout/query-failure.tsx';
import { useSearchParameter } from '../../layout/use-search-parameter.ts';
import { mailList } from '../../queries/mails.ts';
import { appSettings } from '../../queries/settings.ts';
import { usePanelSteps } from '../../shortcuts/use-panel-steps.ts';
import { useSearchKey } from '../../shortcuts/use-search-key.ts';
import styles from './mail.module.css';
import { MailPanel } from './mail-panel.tsx';
import { kindWords, stateWords } from './mail-words.ts';

const mailColumns: readonly RowColumn<MailRow>[] = [
  { name: 'To', width: 220, cell: ({ recipient }) => recipient },
  { name: 'Template', width: 150, wideOnly: true, cell: ({ kind }) => kindWords(kind) },
  { name: 'At', width: 128, wideOnly: true, cell: ({ created_at }) => <TimeAgo iso={created_at} /> },
  {
    name: 'Status',
    width: 90,
    cell: ({ state }) => {
      const [word, kind] = stateWords[state];
      return <Tag kind={kind}>{word}</Tag>;
    },
  },
  { name: 'Error', width: 240, wideOnly: true, cell: ({ error }) => error ?? <span className="soft">–</span> },
];

/** Second line of a mail on a phone. */
const mailLine = ({ kind, created_at, error }: MailRow) => (
  <>
    {kindWords(kind)} · <TimeAgo iso={created_at} /> {error}
  </>
);

/** Lists the mails of an app, with the panel of a mail. */
export function MailListPage({ appRef, tabs, onServer }: { appRef: string; tabs: ReactNode; onServer: () => void }) {
  const [chosen, choose] = useSearchParameter('mail');
  const [text, find] = useSearchParameter('q');
  const q = text ?? '';
  const field = useSearchKey('Mail');
  const list = useInfiniteQuery(mailList(appRef, q));
  const { mails, counts } = list.data ?? {};
  const settings = useQuery(appSettings(appRef));
  const hasServer = settings.data?.get('smtp_host')?.value !== null;

  const steps = usePanelSteps(mails, chosen, choose);
  return (
    <Page
      bare
      appRef={appRef}
      crumbs={[{ text: 'Mail' }]}
      fetching={list.isLoading}
      panel={
        chosen !== null && (
          <MailPanel
            key={chosen}
            appRef={appRef}
            id={chosen}
            listed={mails?.find(({ id }) => id === chosen)}
            {...steps}
          />
        )
      }
    >
      <Sheet
        title="Mail"
        filters={
          <>
            {tabs}
            <SearchField ref={field} label="Search mails" example="Address or template" value={q} onSearch={find} />
          </>
        }
        notice={
          <>
            {settings.data && !hasServer && <NoServer onServer={onServer} />}
            <QueryFailure query={list} />
          </>
        }
        foot={
          <SheetFoot
            shown={counts ? counted(mails?.length ?? 0, 'mail') : 'Counting'}
            more={
              list.hasNextPage
                ? { word: 'Older', busy: list.isFetchingNextPage, onMore: () => void list.fetchNextPage() }
                : null
            }
            remark={
              <>
                {counts && `${counts.queued} queued, ${counts.failed} failed; `}stored for {mailLimits.mailDays.default}{' '}
                days <AsOf at={list.dataUpdatedAt} live={!list.isError} />
              </>
            }
          />
        }
      >
        <SheetRows<MailRow>
          label="Mails"
          columns={mailColumns}
          phoneLine={mailLine}
          rows={mails}
          total={mails?.length ?? -1}
          selected={chosen}
          onOpen={({ id }) => choose(id)}
          isError={list.isError}
          empty={<NoMails search={q} onClear={() => find('')} />}
        />
      </Sheet>
    </Page>
  );
}

/** Empty state without a mail server. */
function NoServer({ onServer }: { onServer: () => void }) {
  return (
    <div className={styles.notice}>
      <p>
        <b>No mail server is set.</b> Ninefold stores every mail here instead of sending it. You can open the links.
      </p>
      <Button small onClick={onServer}>
        Set up mail server
      </Button>
    </div>
  );
}

/** Empty state without mails. */
function NoMails({ search, onClear }: { search: string; onClear: () => void }) {
  if (search !== '') {
    return (
      <Empty title={`No mail matches “${search}”`}>
        <Button onClick={onClear}>Clear the search</Button>
      </Empty>
    );
  }
  return (
    <Empty title="No mails yet">
      <p>A mail is listed here when a member signs up, resets a password, or changes an account.</p>
    </Empty>
  );
}
