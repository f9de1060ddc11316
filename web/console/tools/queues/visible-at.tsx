import { dateTime, duration } from '../../format/format.ts';
import { useNow } from '../../format/use-now.ts';

/** Says whether readers see a message, or in how long they will see it. */
export function VisibleAt({ iso }: { iso: string }) {
  const now = Math.max(useNow(), Date.now());
  const wait = Date.parse(iso) - now;
  return (
    <time dateTime={iso} title={dateTime(iso)}>
      {wait > 0 ? `in ${duration(wait)}` : 'now'}
    </time>
  );
}
