import { ago, dateTime } from './format.ts';
import { useNow } from './use-now.ts';

/** "2 days ago", with the time itself as its title; a dash where there is none. */
export function TimeAgo({ iso }: { iso: string | null | undefined }) {
  const now = useNow();
  if (!iso) return <span className="soft">–</span>;
  return (
    <time dateTime={iso} title={dateTime(iso)}>
      {ago(iso, Math.max(now, Date.now()))}
    </time>
  );
}
