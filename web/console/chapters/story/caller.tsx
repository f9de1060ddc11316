import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { user } from '../../data/users/user.ts';

/** Who made a call: the member by address, who leads to the account; else the role, which is of a key. */
export function Caller({
  appRef,
  who,
  className,
}: {
  appRef: string;
  who: { user_id: string | null; role: string | null };
  /** Of the link. */
  className?: string | undefined;
}) {
  if (who.user_id !== null) return <Member appRef={appRef} id={who.user_id} className={className} />;
  return <>{who.role === null ? 'nobody known' : (words[who.role] ?? who.role)}</>;
}

const words: Readonly<Record<string, string>> = { anon: 'anonymous', service_role: 'service key' };

function Member({ appRef, id, className }: { appRef: string; id: string; className: string | undefined }) {
  const { data } = useQuery({ ...user(appRef, id), staleTime: 60_000, retry: false });
  return (
    <Link to="/app/$ref/users" params={{ ref: appRef }} search={{ user: id }} title={id} className={className}>
      {data?.email || data?.phone || id.slice(0, 8)}
    </Link>
  );
}
