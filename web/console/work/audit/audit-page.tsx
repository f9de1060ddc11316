import { Menu, NativeSelect } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useMemo, useRef } from 'react';
import { limits } from '../../../../contract/limits.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Failure } from '../../../ui/failure.tsx';
import { AsOf } from '../../../ui/opening.tsx';
import { KeyValues, Panel, PanelSection, VerdictLine } from '../../../ui/panel.tsx';
import { type RowColumn, RowTable } from '../../../ui/row-table.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { Sheet, SheetFoot, SheetWords } from '../../../ui/sheet.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { failureFacts } from '../../data/api-failure.ts';
import {
  type AuditFilter,
  type AuditKind,
  type AuditLine,
  auditLog,
  EXPORTED,
  readForExport,
} from '../../data/audit/audit-log.ts';
import { count, counted, dateTime } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import { Page } from '../../frame/page.tsx';
import type { Binding } from '../../keys/bindings.ts';
import { useKeys } from '../../keys/keyboard.tsx';
import { useNeighbours } from '../../keys/use-neighbours.ts';
import { actionsOf, actionWords, asCsv, asJsonLines, objectOf } from './audit-words.ts';

const kinds = [
  ['members', 'Members'],
  ['builders', 'Builders'],
] as const;

const columnsOf = (kind: AuditKind): readonly RowColumn<AuditLine>[] => [
  { name: 'When', width: 130, cell: ({ at }) => <TimeAgo iso={at} /> },
  { name: 'Who', width: 220, cell: ({ actor }) => <span className="cut">{actor || 'unknown'}</span> },
  {
    name: 'What',
    width: 230,
    cell: ({ action, refused }) => (
      <>
        {actionWords(kind, action)} {refused !== null && <Tag kind="error">refused</Tag>}
      </>
    ),
  },
  { name: 'Object', width: 320, cell: (line) => <span className="cut soft">{objectOf(line)}</span> },
  { name: 'From where', width: 140, cell: ({ address }) => <code>{address}</code> },
];

/** What members and builders did in an app: who, what, when and from where. */
export function AuditPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/audit' });
  const search = useSearch({ from: '/signed-in/app/$ref/audit' });
  const navigate = useNavigate({ from: '/app/$ref/audit' });
  const field = useRef<HTMLInputElement>(null);
  const kind: AuditKind = search.kind === 'builders' ? 'builders' : 'members';
  const { q = '', action = '', member = '', entry: chosen = null } = search;
  const filter: AuditFilter = { kind, search: q, action, member: kind === 'members' ? member : '' };
  const list = useInfiniteQuery(auditLog(ref, filter));
  const lines = list.data;
  const columns = useMemo(() => columnsOf(kind), [kind]);

  const change = useCallback(
    (changes: Partial<typeof search>) =>
      void navigate({
        search: (before) =>
          Object.fromEntries(Object.entries({ ...before, ...changes }).filter(([, value]) => value !== '')),
        replace: true,
      }),
    [navigate],
  );
  const choose = useCallback((id: string | null) => change({ entry: id ?? '' }), [change]);
  const { previous, next } = useNeighbours(lines, chosen, choose);
  useKeys(
    useMemo<readonly Binding[]>(
      () => [{ keys: 'f', group: 'Audit log', does: 'Search', run: () => field.current?.focus() }],
      [],
    ),
  );
  const line = lines?.find(({ id }) => id === chosen);
  const isSearch = q !== '' && kind === 'members';
  const isFiltered = q !== '' || action !== '' || member !== '';
  return (
    <Page
      bare
      appRef={ref}
      crumbs={[{ text: 'Audit log' }]}
      fetching={list.isLoading}
      panel={
        line && (
          <AuditPanel
            key={line.id}
            appRef={ref}
            kind={kind}
            line={line}
            onPrevious={previous}
            onNext={next}
            onClose={() => choose(null)}
          />
        )
      }
    >
      <Sheet
        title="Audit log"
        filters={
          <>
            <Segmented
              label="Whose events"
              value={kind}
              options={kinds}
              onChange={(value) =>
                change({ kind: value === 'members' ? '' : value, action: '', member: '', entry: '' })
              }
            />
            <NativeSelect
              size="xs"
              aria-label="What"
              data={[{ value: '', label: 'everything' }, ...actionsOf(kind)]}
              value={action}
              onChange={({ currentTarget }) => change({ action: currentTarget.value, entry: '' })}
            />
            <SearchField
              ref={field}
              label="Search the audit log"
              example="Name, address or detail"
              value={q}
              onSearch={(text) => change({ q: text, entry: '' })}
            />
            {member !== '' && kind === 'members' && (
              <Button small onClick={() => change({ member: '' })}>
                One member: show all
              </Button>
            )}
          </>
        }
        tools={<Export appRef={ref} filter={filter} isEmpty={lines?.length === 0} />}
        notice={
          list.error && (
            <Failure facts={failureFacts(list.error)} onRetry={() => void list.refetch()} busy={list.isFetching} />
          )
        }
        foot={
          <SheetFoot
            shown={lines ? counted(lines.length, 'entry', 'entries') : 'Counting'}
            more={
              list.hasNextPage
                ? {
                    word: isSearch ? 'Search further back' : 'Older',
                    busy: list.isFetchingNextPage,
                    onMore: () => void list.fetchNextPage(),
                  }
                : null
            }
            remark={
              <>
                {kind === 'builders'
                  ? 'No role of the app can change these entries.'
                  : 'The owner of the app’s database can change these entries.'}{' '}
                <AsOf at={list.dataUpdatedAt} live={!list.isError} />
              </>
            }
          />
        }
      >
        {lines?.length === 0 ? (
          <SheetWords>
            <Empty
              title={
                list.hasNextPage
                  ? 'No newer entry matches'
                  : isFiltered
                    ? 'No entry matches'
                    : 'Nothing has happened yet'
              }
            >
              {list.hasNextPage ? (
                <>
                  <p>A search reads {count(limits.auditSearchRows.default)} entries at a time, the newest first.</p>
                  <Button busy={list.isFetchingNextPage && 'Searching'} onClick={() => void list.fetchNextPage()}>
                    Search further back
                  </Button>
                </>
              ) : isFiltered ? (
                <Button onClick={() => change({ q: '', action: '', member: '' })}>Show all entries</Button>
              ) : (
                <p>
                  {kind === 'members'
                    ? 'Sign-ups, sign-ins and changes of accounts appear here.'
                    : 'SQL, migrations, settings, keys and changes of the team appear here.'}
                </p>
              )}
            </Empty>
          </SheetWords>
        ) : (
          (lines !== undefined || !list.isError) && (
            <RowTable<AuditLine>
              label="Audit log"
              columns={columns}
              rows={lines}
              total={list.hasNextPage ? -1 : (lines?.length ?? -1)}
              selected={chosen}
              stale={list.isError}
              onOpen={({ id }) => choose(id)}
            />
          )
        )}
      </Sheet>
    </Page>
  );
}

/** Saves the entries that the filter leaves as a file. */
function Export({ appRef, filter, isEmpty }: { appRef: string; filter: AuditFilter; isEmpty: boolean }) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (format: 'csv' | 'jsonl') => {
      const lines = await readForExport(appRef, filter);
      const isCsv = format === 'csv';
      const type = isCsv ? 'text/csv;charset=utf-8' : 'application/jsonl;charset=utf-8';
      const url = URL.createObjectURL(new Blob([isCsv ? asCsv(lines) : asJsonLines(lines)], { type }));
      const link = Object.assign(document.createElement('a'), { href: url, download: `${appRef}-audit.${format}` });
      link.click();
      URL.revokeObjectURL(url);
    },
  });
  return (
    <Menu withinPortal={false} position="bottom-end" width={240}>
      <Menu.Target>
        <Button
          small
          icon={IconDownload}
          busy={isPending && 'Reading'}
          offBecause={isEmpty ? 'There is no entry.' : (error?.message ?? null)}
        >
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>The newest {count(EXPORTED)} at most</Menu.Label>
        <Menu.Item onClick={() => mutate('csv')}>CSV</Menu.Item>
        <Menu.Item onClick={() => mutate('jsonl')}>JSON Lines</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function AuditPanel({
  appRef,
  kind,
  line,
  onPrevious,
  onNext,
  onClose,
}: {
  appRef: string;
  kind: AuditKind;
  line: AuditLine;
  onPrevious: (() => void) | undefined;
  onNext: (() => void) | undefined;
  onClose: () => void;
}) {
  const { details, requestId, actorId } = line;
  const what = actionWords(kind, line.action);
  const isChange = 'before' in details || 'after' in details;
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  const pairs: (readonly [string, ReactNode])[] = [
    [
      kind === 'builders' ? 'Builder' : 'Member',
      kind === 'members' && actorId !== null ? (
        <Link key="who" to="/app/$ref/users/$id" params={{ ref: appRef, id: actorId }}>
          {line.actor || actorId}
        </Link>
      ) : (
        line.actor || 'unknown'
      ),
    ],
    ['Address', <code key="address">{line.address}</code>],
    ['At', dateTime(line.at)],
  ];
  if (requestId !== null) pairs.push(['Request', <code key="request">{requestId}</code>]);
  if (line.refused !== null) pairs.push(['Refused', <code key="refused">{line.refused}</code>]);
  const rest = Object.entries(details).filter(([name]) => !isChange || (name !== 'before' && name !== 'after'));
  return (
    <Panel label="Selected entry" title={what} onClose={onClose} onPrevious={onPrevious} onNext={onNext}>
      <VerdictLine>
        {line.actor || 'Somebody'} {line.refused === null || kind === 'members' ? what : `was refused: ${what}`}.
      </VerdictLine>
      {isChange && (
        <PanelSection title="Before and after">
          <KeyValues
            pairs={[
              ['Before', <code key="before">{text(details.before) ?? 'not known'}</code>],
              ['After', <code key="after">{text(details.after) ?? 'the default'}</code>],
            ]}
          />
        </PanelSection>
      )}
      <PanelSection title="Who and where">
        <KeyValues pairs={pairs} />
      </PanelSection>
      {rest.length > 0 && (
        <PanelSection title="Details">
          <KeyValues
            pairs={rest.map(([name, value]) => [name.replaceAll('_', ' '), <code key={name}>{text(value)}</code>])}
          />
        </PanelSection>
      )}
      <p>
        <CopyButton text={JSON.stringify(line, null, 2)} what="the entry as JSON" word="Copy as JSON" />
      </p>
    </Panel>
  );
}
