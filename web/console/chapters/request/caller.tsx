import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { user } from '../../queries/users.ts';

/** Shows the caller of a request: a link to the member's account, or else the role of the key. */
export function Caller({
  appRef,
  who,
  className,
}: {
  appRef: string;
  /** `member` is the member's address. If it is missing, the component loads the address. */
  who: { user_id: string | null; role: string | null; member?: string | null };
  /** CSS class of the link. */
  className?: string | undefined;
}) {
  if (who.user_id !== null)
    return <Member appRef={appRef} id={who.user_id} address={who.member} className={className} />;
  return <>{who.role === null ? 'unknown caller' : (words[who.role] ?? who.role)}</>;
}

const words: Readonly<Record<string, string>> = { anon: 'anonymous', service_role: 'service key' };

function Member({
  appRef,
  id,
  address,
  className,
}: {
  appRef: string;
  id: string;
  address: string | null | undefined;
  className: string | undefined;
}) {
  const { data } = useQuery({ ...user(appRef, id), staleTime: 60_000, retry: false, enabled: address === undefined });
  return (
    <Link to="/app/$ref/users" params={{ ref: appRef }} search={{ user: id }} title={id} className={className}>
      {address || data?.email || data?.phone || id.slice(0, 8)}
    </Link>
  );
}
