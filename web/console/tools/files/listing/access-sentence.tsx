import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { counted } from '../../../format/format.ts';
import type { Bucket } from '../../../queries/files/buckets.ts';
import { fileAccess } from '../../../queries/files/usage.ts';
import styles from '../files.module.css';
import { accessWords } from './access-words.ts';

/** Says in words who may do what with the files of a bucket, with a link to the policies. */
export function AccessSentence({ appRef, bucket: { id, public: isPublic } }: { appRef: string; bucket: Bucket }) {
  const { data } = useQuery(fileAccess(appRef));
  const cells = data?.filter(({ entity }) => entity === id) ?? [];
  const policies = new Set(cells.flatMap((cell) => cell.policies)).size;
  return (
    <p className={styles.sentence}>
      {/* The placeholder has the height of one line, so that the table does not jump. */}
      <span>{data ? accessWords(cells, isPublic) : '\u00a0'}</span>
      {data && (
        <Link to="/app/$ref/files" params={{ ref: appRef }} search={{ view: 'policies', bucket: id }}>
          {policies === 0 ? 'Add policy' : counted(policies, 'policy', 'policies')}
        </Link>
      )}
    </p>
  );
}
