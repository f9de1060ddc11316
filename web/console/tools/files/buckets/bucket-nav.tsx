import { IconLock, IconWorld } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { FileUsage } from '../../../../../contract/files.ts';
import { Icon } from '../../../../ui/icon.tsx';
import { Skeleton } from '../../../../ui/table.tsx';
import { Gauge, SideGroup, SideList, sideFigureClass, sideItemClass } from '../../../../ui/workbench.tsx';
import { bytes, count, counted } from '../../../format/format.ts';
import type { Bucket } from '../../../queries/files/buckets.ts';
import { fileUsage } from '../../../queries/files/usage.ts';
import styles from '../files.module.css';
import type { FilesView } from '../use-files-search.ts';

const views: readonly (readonly [view: FilesView, name: string])[] = [
  ['policies', 'Access'],
  ['space', 'Space'],
  ['s3', 'S3 and links'],
];

/** Lists the buckets with the number of their objects, the other pages of the tool, and the space that the files take. */
export function BucketNav({
  appRef,
  buckets,
  current,
  find,
  onCreate,
}: {
  appRef: string;
  buckets: readonly Bucket[] | undefined;
  current: { bucket?: string; view?: string };
  /** The field that searches the open folder. */
  find: ReactNode;
  onCreate: () => void;
}) {
  const { data: usage } = useQuery(fileUsage(appRef));
  const counts = new Map(usage?.buckets.map(({ id, objects }) => [id, objects]));
  return (
    <SideList label="Buckets">
      {find !== null && <div className={styles.find}>{find}</div>}
      <SideGroup
        title="Buckets"
        tool={
          <button type="button" className={styles.link} aria-label="New bucket" onClick={onCreate}>
            New
          </button>
        }
      >
        {!buckets &&
          [72, 104, 88].map((width) => (
            <div key={width} className={sideItemClass}>
              <Skeleton width={width} />
            </div>
          ))}
        {buckets?.map(({ id, public: isPublic }) => (
          <Link
            key={id}
            to="/app/$ref/files"
            params={{ ref: appRef }}
            search={{ bucket: id }}
            className={sideItemClass}
            aria-current={current.bucket === id ? 'page' : undefined}
            activeProps={{ 'aria-current': current.bucket === id ? 'page' : undefined }}
            title={
              isPublic ? 'Public: everybody with the address reads its files.' : 'Policies decide who reads its files.'
            }
          >
            <span className={styles.bucket}>
              <Icon of={isPublic ? IconWorld : IconLock} />
              <code className="cut">{id}</code>
              <span className="sr">{isPublic ? ', public' : ', private'}</span>
            </span>
            <span className={sideFigureClass}>{counts.has(id) && count(counts.get(id) ?? 0)}</span>
          </Link>
        ))}
        {buckets?.length === 0 && <p className={styles.sideNote}>None yet</p>}
      </SideGroup>
      <SideGroup title="All files">
        {views.map(([view, name]) => (
          <Link
            key={view}
            to="/app/$ref/files"
            params={{ ref: appRef }}
            search={{ view }}
            className={sideItemClass}
            aria-current={current.view === view ? 'page' : undefined}
            activeProps={{ 'aria-current': current.view === view ? 'page' : undefined }}
          >
            <span>{name}</span>
          </Link>
        ))}
      </SideGroup>
      {usage && <Space usage={usage} />}
    </SideList>
  );
}

/** The space that the files take of what the app may have. */
const Space = ({ usage: { buckets, stored, quota_bytes } }: { usage: FileUsage }) => (
  <div className={styles.space}>
    <h2 className="sr">Space</h2>
    {quota_bytes > 0 && <Gauge part={stored.bytes / quota_bytes} />}
    <p>
      {bytes(stored.bytes)}
      {quota_bytes > 0 && ` of ${bytes(quota_bytes)}`}
    </p>
    <p className="soft">
      {counted(
        buckets.reduce((sum, { objects }) => sum + objects, 0),
        'file',
      )}
      , {counted(stored.contents, 'content')}
    </p>
  </div>
);
