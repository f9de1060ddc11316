import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { classNames } from '../../../../ui/class-names.ts';
import { SearchField } from '../../../../ui/search-field.tsx';
import { pushClass, TableFooter, Workbench, wideOnlyClass } from '../../../../ui/workbench.tsx';
import { bytes, count, counted } from '../../../format/format.ts';
import { type Crumb, Page } from '../../../layout/page.tsx';
import { QueryFailure } from '../../../layout/query-failure.tsx';
import type { Bucket } from '../../../queries/files/buckets.ts';
import { type Entry, type ListOrder, objectPages } from '../../../queries/files/objects.ts';
import { fileUsage } from '../../../queries/files/usage.ts';
import { usePanelSteps } from '../../../shortcuts/use-panel-steps.ts';
import { useSearchKey } from '../../../shortcuts/use-search-key.ts';
import styles from '../files.module.css';
import { type EntriesDialog, EntriesDialogs } from '../object/entries-dialogs.tsx';
import { ObjectPanel } from '../object/object-panel.tsx';
import { type Uploads, useUploads } from '../uploads/app-uploads.ts';
import { DropArea } from '../uploads/drop-area.tsx';
import { UploadTray } from '../uploads/upload-tray.tsx';
import { type FilesChange, type FilesSearch, nextSort, readOrder } from '../use-files-search.ts';
import { AccessSentence } from './access-sentence.tsx';
import { BucketToolbar } from './bucket-toolbar.tsx';
import { EmptyFolder } from './empty-folder.tsx';
import { type Marks, noMarks, presentMarks } from './marks.ts';
import { lastPart, ObjectTable } from './object-table.tsx';

const phone = window.matchMedia('(max-width: 760px)');

/** The folders and objects of a folder of a bucket, with the panel of an object. */
export function BucketPage({
  appRef,
  buckets,
  bucket,
  search,
  nav,
  onSearch,
}: {
  appRef: string;
  buckets: readonly Bucket[];
  bucket: Bucket;
  search: FilesSearch;
  /** Returns the list of buckets with a field above it. */
  nav: (find: ReactNode) => ReactNode;
  /** Must be memoised. */
  onSearch: (change: FilesChange) => void;
}) {
  const { path = '', q = '', file } = search;
  const order = readOrder(search.sort);
  const listing = useListing(appRef, bucket.id, `${path}${q}`, order);
  const { list, entries, marked, setMarks } = listing;
  const { data: usage } = useQuery(fileUsage(appRef));
  const stored = usage?.buckets.find(({ id }) => id === bucket.id);
  const [dialog, setDialog] = useState<EntriesDialog | null>(null);
  const uploads = useUploads(appRef, bucket.id, path);
  const open = useOpen(bucket.id, onSearch, setMarks);
  const { chosen, steps } = useChosen(entries, file, onSearch);
  const find = <FindField q={q} onSearch={onSearch} />;
  return (
    <Page
      bare
      appRef={appRef}
      crumbs={crumbsOf(appRef, bucket.id, path)}
      fetching={list.isLoading}
      panel={
        file !== undefined && (
          <ObjectPanel
            key={file}
            {...{ appRef, bucket, name: file, ...steps }}
            listed={chosen?.kind === 'object' ? chosen.object : null}
            onDialog={setDialog}
          />
        )
      }
    >
      <DropArea label={path === '' ? bucket.id : lastPart(path)} onFiles={uploads.add}>
        <Workbench wideList list={nav(phone.matches ? null : find)} listFirst={search.bucket === undefined}>
          <div className={classNames(styles.toolbar, file !== undefined && styles.opened)}>
            <BucketToolbar
              {...{ appRef, bucket, path, stored, marked, uploads, onSearch }}
              onDialog={setDialog}
              onClear={() => setMarks(noMarks)}
            />
            {phone.matches && <div className={styles.phoneFind}>{find}</div>}
            <AccessSentence appRef={appRef} bucket={bucket} />
            <QueryFailure query={list} />
          </div>
          <Entries
            {...{ appRef, bucket, path, q, file, uploads, order, listing, onSearch }}
            onOpen={open}
            onDelete={() => marked.length > 0 && setDialog({ verb: 'delete', entries: marked })}
          />
          <Below appRef={appRef} listing={listing} />
        </Workbench>
      </DropArea>
      {dialog && (
        <EntriesDialogs
          {...{ appRef, buckets, dialog }}
          bucket={bucket.id}
          onDone={(moved) => {
            setDialog(null);
            setMarks(noMarks);
            if (moved !== undefined) onSearch({ file: moved ?? undefined });
          }}
          onClose={() => setDialog(null)}
        />
      )}
    </Page>
  );
}

/** Returns the function that opens a folder, or the panel of an object. */
function useOpen(bucket: string, onSearch: (change: FilesChange) => void, setMarks: (marks: Marks) => void) {
  return useCallback(
    ({ kind, name }: Entry) => {
      if (kind === 'object') return onSearch({ file: name });
      setMarks(noMarks);
      onSearch({ bucket, path: name, q: undefined, file: undefined });
    },
    [bucket, onSearch, setMarks],
  );
}

/** Returns the entry of the panel, and the functions that open the object before and after it. */
function useChosen(
  entries: readonly Entry[] | undefined,
  file: string | undefined,
  onSearch: (change: FilesChange) => void,
) {
  const chosen = entries?.find(({ name }) => name === file);
  const objects = useMemo(() => entries?.filter(({ kind }) => kind === 'object'), [entries]);
  const choose = useCallback((name: string | null) => onSearch({ file: name ?? undefined }), [onSearch]);
  const steps = usePanelSteps(objects, file ?? null, choose);
  return { chosen, steps };
}

/** The uploads, and the line with the number of entries. */
const Below = ({ appRef, listing: { list, entries } }: { appRef: string; listing: ReturnType<typeof useListing> }) => (
  <div>
    <UploadTray appRef={appRef} />
    <Foot {...{ entries, hasMore: list.hasNextPage, isLoading: list.isFetchingNextPage }} />
  </div>
);

/** Field that searches the open folder. */
function FindField({ q, onSearch }: { q: string; onSearch: (change: FilesChange) => void }) {
  const field = useSearchKey('Files');
  return (
    <SearchField
      ref={field}
      label="Names that begin with"
      example="Name begins with"
      value={q}
      onSearch={(text) => onSearch({ q: text === '' ? undefined : text })}
    />
  );
}

/** The table of the entries, or what to do if there is none. */
function Entries({
  appRef,
  bucket,
  path,
  q,
  file,
  uploads,
  order,
  listing: { list, entries, marks, setMarks },
  onSearch,
  onOpen,
  onDelete,
}: {
  appRef: string;
  bucket: Bucket;
  path: string;
  q: string;
  file: string | undefined;
  uploads: Uploads;
  order: ListOrder;
  listing: ReturnType<typeof useListing>;
  onSearch: (change: FilesChange) => void;
  onOpen: (entry: Entry) => void;
  onDelete: () => void;
}) {
  if (entries?.length === 0) {
    return <EmptyFolder {...{ bucket, path, q, uploads }} onClear={() => onSearch({ q: undefined })} />;
  }
  // The failure above the table says why there are no entries.
  if (entries === undefined && list.isError) return null;
  return (
    <ObjectTable
      {...{ appRef, path, entries, marks, order, onOpen, onDelete }}
      bucket={bucket.id}
      selected={file}
      hasMore={list.hasNextPage}
      isStale={list.isError}
      onMarks={setMarks}
      onSort={(column) => onSearch({ sort: nextSort(order, column) })}
      onMore={() => {
        if (!list.isFetchingNextPage && !list.isError) void list.fetchNextPage();
      }}
    />
  );
}

/** Reads the entries below a prefix, and knows which of them the builder has marked. */
function useListing(appRef: string, bucket: string, prefix: string, order: ListOrder) {
  const list = useInfiniteQuery(objectPages(appRef, bucket, prefix, order));
  const entries = list.data;
  const [given, setMarks] = useState<Marks>(noMarks);
  const marks = useMemo(() => (entries ? presentMarks(given, entries) : noMarks), [given, entries]);
  const marked = entries?.filter(({ id }) => marks.ids.has(id)) ?? [];
  return { list, entries, marks, marked, setMarks };
}

/** Returns the breadcrumbs of a folder. */
function crumbsOf(ref: string, bucket: string, path: string): Crumb[] {
  const folders = path.split('/').slice(0, -1);
  const link = (search: FilesSearch) => ({ to: '/app/$ref/files' as const, params: { ref }, search });
  return [
    { text: 'Files', link: link({}) },
    { text: bucket, link: link({ bucket }) },
    ...folders.map((text, place) => ({
      text,
      link: link({ bucket, path: `${folders.slice(0, place + 1).join('/')}/` }),
    })),
  ];
}

/** Line below the list with the number of folders and files, and their size. */
function Foot({
  entries,
  hasMore,
  isLoading,
}: {
  entries: readonly Entry[] | undefined;
  hasMore: boolean;
  isLoading: boolean;
}) {
  const objects = entries?.flatMap((entry) => (entry.kind === 'object' ? [entry.object] : [])) ?? [];
  const folders = (entries?.length ?? 0) - objects.length;
  const size = objects.reduce((sum, object) => sum + object.size, 0);
  return (
    <TableFooter>
      {entries ? (
        <span>
          <b>{counted(objects.length, 'file')}</b>
          {folders > 0 && ` and ${counted(folders, 'folder')}`}
          {objects.length > 0 && `, ${bytes(size)}`}
          {hasMore && ' shown'}
        </span>
      ) : (
        <b>Counting</b>
      )}
      {hasMore && (
        <span className="soft">
          {isLoading
            ? 'Loading more …'
            : `Scroll for more than ${count(entries?.length ?? 0)}, or type how names begin`}
        </span>
      )}
      <span className={`${pushClass} ${wideOnlyClass} soft ${styles.dropHint}`}>
        Drop files anywhere on this page, or paste
      </span>
    </TableFooter>
  );
}
