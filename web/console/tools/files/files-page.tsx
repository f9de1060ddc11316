import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Empty } from '../../../ui/empty.tsx';
import { Toolbar, Workbench } from '../../../ui/workbench.tsx';
import { Page } from '../../layout/page.tsx';
import { QueryFailure } from '../../layout/query-failure.tsx';
import { type Bucket, bucketList } from '../../queries/files/buckets.ts';
import { BucketDialog } from './buckets/bucket-dialog.tsx';
import { BucketNav } from './buckets/bucket-nav.tsx';
import { NoBuckets } from './buckets/no-buckets.tsx';
import styles from './files.module.css';
import { BucketPage } from './listing/bucket-page.tsx';
import { PoliciesPage } from './policies/policies-page.tsx';
import { S3Page } from './s3/s3-page.tsx';
import { SpacePage } from './space/space-page.tsx';
import { useFilesSearch } from './use-files-search.ts';

/** Page of an app's files: its buckets, their objects, who may do what with them, and the space that they take. */
export function FilesPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/files' });
  const [search, change] = useFilesSearch();
  const buckets = useQuery(bucketList(ref));
  const [creating, setCreating] = useState(false);
  const { data } = buckets;
  const bucket = data && chosen(data, search.bucket);
  const create = () => setCreating(true);
  const nav = (current: { bucket?: string; view?: string }, find: ReactNode = null) => (
    <BucketNav appRef={ref} buckets={data} current={current} find={find} onCreate={create} />
  );
  return (
    <>
      {search.view === 'space' ? (
        <SpacePage appRef={ref} nav={nav({ view: 'space' })} />
      ) : search.view === 's3' ? (
        <S3Page appRef={ref} nav={nav({ view: 's3' })} bucket={data?.[0]?.id} />
      ) : search.view === 'policies' && data ? (
        <PoliciesPage appRef={ref} nav={nav({ view: 'policies' })} buckets={data} bucket={search.bucket} />
      ) : bucket ? (
        <BucketPage
          key={bucket.id}
          {...{ appRef: ref, buckets: data, bucket, search }}
          nav={(find) => nav({ bucket: bucket.id }, find)}
          onSearch={change}
        />
      ) : (
        <Page bare appRef={ref} crumbs={[{ text: 'Files' }]} fetching={buckets.isLoading}>
          <Workbench wideList list={nav({})}>
            <Toolbar title="Files" />
            <div className={styles.instead}>
              <QueryFailure query={buckets} />
              {data?.length === 0 && <NoBuckets onCreate={create} />}
              {data && data.length > 0 && (
                <Empty title={`There is no bucket ${search.bucket}`}>
                  <p>The bucket may have been deleted. Choose another one.</p>
                </Empty>
              )}
            </div>
          </Workbench>
        </Page>
      )}
      {creating && (
        <BucketDialog
          appRef={ref}
          bucket={null}
          onDone={(id) => {
            setCreating(false);
            change({ bucket: id, path: undefined, file: undefined, q: undefined, view: undefined });
          }}
          onClose={() => setCreating(false)}
        />
      )}
    </>
  );
}

/** Returns the bucket in the address, or without one the first. */
const chosen = (buckets: readonly Bucket[], id: string | undefined): Bucket | undefined =>
  id === undefined ? buckets[0] : buckets.find((bucket) => bucket.id === id);
