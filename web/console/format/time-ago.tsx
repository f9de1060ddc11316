import { age, ago, dateTime } from './format.ts';
import { useNow } from './use-now.ts';

/** "2 days ago", with the time itself as its title; "2 d" in a column of a table. A dash where there is none. */
export function TimeAgo({ iso, short = false }: { iso: string | null | undefined; short?: boolean }) {
  const now = useNow();
  if (!iso) return <span className="soft">–</span>;
  return (
    <time dateTime={iso} title={dateTime(iso)}>
      {(short ? age : ago)(iso, Math.max(now, Date.now()))}
    </time>
  );
}
