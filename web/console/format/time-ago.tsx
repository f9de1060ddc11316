import { age, ago, dateTime } from './format.ts';
import { useNow } from './use-now.ts';

/**
 * Shows the age of a time: "2 days ago", or "2 d" if `short` is set. The tooltip shows the time itself. Shows a dash if
 * there is no time.
 */
export function TimeAgo({ iso, short = false }: { iso: string | null | undefined; short?: boolean }) {
  const now = useNow();
  if (!iso) return <span className="soft">–</span>;
  return (
    <time dateTime={iso} title={dateTime(iso)}>
      {(short ? age : ago)(iso, Math.max(now, Date.now()))}
    </time>
  );
}
