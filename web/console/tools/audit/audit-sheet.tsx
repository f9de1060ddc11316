import { NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useCallback, useMemo } from 'react';
import { auditLimits } from '../../../../contract/limits/records.ts';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { AsOf } from '../../../ui/page-header.tsx';
import type { RowColumn } from '../../../ui/row-table.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { Sheet, SheetFoot, SheetRows } from '../../../ui/sheet.tsx';
import { Tag } from '../../../ui/tag.tsx';
import { count, counted } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import { Page } from '../../layout/page.tsx';
import { QueryFailure } from '../../layout/query-failure.tsx';
import { type AuditFilter, type AuditKind, type AuditLine, auditLog } from '../../queries/audit.ts';
import { usePanelSteps } from '../../shortcuts/use-panel-steps.ts';
import { useSearchKey } from '../../shortcuts/use-search-key.ts';
import { AuditExport } from './audit-export.tsx';
import { AuditPanel } from './audit-panel.tsx';
import { actionsOf, actionWords, actorOf, objectOf } from './audit-words.ts';

const isPhone = window.matchMedia('(max-width: 760px)').matches;

/** The columns of a log. A phone shows the actor, the object and the time below the action. */
function columnsOf(kind: AuditKind): readonly RowColumn<AuditLine>[] {
  const what: RowColumn<AuditLine> = {
    name: 'What',
    width: 210,
    grows: isPhone,
    cell: ({ action, refused }) => (
      <>
        {actionWords(kind, action)} {refused !== null && <Tag kind="error">refused</Tag>}
      </>
    ),
  };
  if (isPhone) return [what];
  return [
    { name: 'When', width: 120, cell: ({ at }) => <TimeAgo iso={at} /> },
    { name: 'Who', width: 200, cell: ({ actor }) => <span className="cut">{actorOf(actor)}</span> },
    what,
    { name: 'Object', width: 240, grows: true, cell: (line) => <span className="cut soft">{objectOf(line)}</span> },
    { name: 'Address', width: 140, cell: ({ address }) => <code>{address}</code> },
  ];
}

const phoneLine = (line: AuditLine) => (
  <>
    {actorOf(line.actor)} · <TimeAgo iso={line.at} /> {objectOf(line)}
  </>
);

/** Texts of the pages of the three logs. */
const descriptors: Readonly<Record<AuditKind, { remark: string; empty: string }>> = {
  members: {
    remark: 'The owner of the app’s database can change these entries.',
    empty: 'Sign-ups, sign-ins and changes of accounts appear here.',
  },
  builders: {
    remark: 'No role of the app can change these entries.',
    empty: 'SQL, migrations, settings, keys and changes of the team appear here.',
  },
  node: {
    remark: 'No builder can change these entries.',
    empty: 'Sign-ins of builders, invitations, and created and deleted apps appear here.',
  },
};

/** Parameters of the page's address. An empty string means that the parameter does not filter. */
export interface AuditSearch {
  q?: string;
  action?: string;
  member?: string;
  /** The id of the open entry. */
  entry?: string;
}

/** Page of an audit log: its filters, its entries and the panel of one entry. If `appRef` is null, the page shows the log of the node. */
export function AuditSheet({
  kind,
  appRef,
  search,
  filters,
  onChange,
}: {
  kind: AuditKind;
  appRef: string | null;
  search: AuditSearch;
  /** Filters of one page, shown before the filters that all three pages have. */
  filters?: ReactNode;
  onChange: (changes: AuditSearch) => void;
}) {
  const field = useSearchKey('Audit log');
  const { q = '', action = '', entry: chosen = null } = search;
  const member = kind === 'members' ? (search.member ?? '') : '';
  const filter: AuditFilter = { kind, ref: appRef, search: q, action, member };
  const list = useInfiniteQuery(auditLog(filter));
  const lines = list.data;
  const columns = useMemo(() => columnsOf(kind), [kind]);
  const choose = useCallback((id: string | null) => onChange({ entry: id ?? '' }), [onChange]);
  const steps = usePanelSteps(lines, chosen, choose);
  const line = lines?.find(({ id }) => id === chosen);
  const older = list.hasNextPage
    ? { isSearching: list.isFetchingNextPage, onSearch: () => void list.fetchNextPage() }
    : null;
  return (
    <Page
      bare
      {...(appRef !== null && { appRef })}
      crumbs={[{ text: 'Audit log' }]}
      fetching={list.isLoading}
      panel={line && <AuditPanel key={line.id} filter={filter} line={line} {...steps} />}
    >
      <Sheet
        title="Audit log"
        filters={
          <>
            {filters}
            <CommonFilters {...{ kind, action, field, q, member }} onChange={onChange} />
          </>
        }
        tools={<AuditExport filter={filter} isEmpty={lines?.length === 0} />}
        notice={<QueryFailure query={list} />}
        foot={
          <AuditFoot
            {...{ kind, lines, older }}
            word={q !== '' && kind === 'members' ? 'Search further back' : 'Older'}
            at={list.dataUpdatedAt}
            isLive={!list.isError}
          />
        }
      >
        <SheetRows<AuditLine>
          label="Audit log"
          phoneLine={phoneLine}
          columns={columns}
          rows={lines}
          total={list.hasNextPage ? -1 : (lines?.length ?? -1)}
          selected={chosen}
          onOpen={({ id }) => choose(id)}
          isError={list.isError}
          empty={
            <NoEntries
              kind={kind}
              isFiltered={q !== '' || action !== '' || member !== ''}
              older={older}
              onClear={() => onChange({ q: '', action: '', member: '' })}
            />
          }
        />
      </Sheet>
    </Page>
  );
}

/** Returns the search parameters of an address after a change, without the empty ones. */
export const withoutEmpty = <T extends object>(search: T): T =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== '')) as T;

function CommonFilters({
  kind,
  action,
  field,
  q,
  member,
  onChange,
}: {
  kind: AuditKind;
  action: string;
  field: RefObject<HTMLInputElement | null>;
  q: string;
  member: string;
  onChange: (changes: AuditSearch) => void;
}) {
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label="What"
        data={[{ value: '', label: 'everything' }, ...actionsOf(kind)]}
        value={action}
        onChange={({ currentTarget }) => onChange({ action: currentTarget.value, entry: '' })}
      />
      <SearchField
        ref={field}
        label="Search the audit log"
        example="Name, address or detail"
        value={q}
        onSearch={(text) => onChange({ q: text, entry: '' })}
      />
      {member !== '' && (
        <Button small onClick={() => onChange({ member: '' })}>
          One member: show all
        </Button>
      )}
    </>
  );
}

/** The function that loads older entries of a log, and its state. */
interface Older {
  readonly isSearching: boolean;
  readonly onSearch: () => void;
}

function AuditFoot({
  kind,
  lines,
  older,
  word,
  at,
  isLive,
}: {
  kind: AuditKind;
  lines: readonly AuditLine[] | undefined;
  /** Null if there are no older entries. */
  older: Older | null;
  /** Text of the button that loads older entries. */
  word: string;
  /** Time of the last response in milliseconds since 1970. */
  at: number;
  isLive: boolean;
}) {
  return (
    <SheetFoot
      shown={lines ? counted(lines.length, 'entry', 'entries') : 'Counting'}
      more={older && { word, busy: older.isSearching, onMore: older.onSearch }}
      remark={
        <>
          {descriptors[kind].remark} <AsOf at={at} live={isLive} />
        </>
      }
    />
  );
}

/** Text shown instead of a log that has no entries. */
function NoEntries({
  kind,
  isFiltered,
  older,
  onClear,
}: {
  kind: AuditKind;
  isFiltered: boolean;
  older: Older | null;
  onClear: () => void;
}) {
  return (
    <Empty title={older ? 'No newer entry matches' : isFiltered ? 'No entry matches' : 'Nothing has happened yet'}>
      {older ? (
        <>
          <p>A search reads {count(auditLimits.auditSearchRows.default)} entries at a time, the newest first.</p>
          <Button busy={older.isSearching && 'Searching'} onClick={older.onSearch}>
            Search further back
          </Button>
        </>
      ) : isFiltered ? (
        <Button onClick={onClear}>Show all entries</Button>
      ) : (
        <p>{descriptors[kind].empty}</p>
      )}
    </Empty>
  );
}
