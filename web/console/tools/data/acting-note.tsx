import { useQuery } from '@tanstack/react-query';
import { Button } from '../../../ui/button.tsx';
import { useNow } from '../../format/use-now.ts';
import { acting } from '../../queries/acting.ts';
import { queryClient } from '../../queries/query-client.ts';
import type { RequestRole } from '../../queries/rows/row.ts';

/** Shows that the builder acts as a member and until when, with a button that stops it. */
export function ActingNote({
  appRef,
  requestRole,
  onStop,
}: {
  appRef: string;
  requestRole: RequestRole;
  onStop: () => void;
}) {
  const isMember = requestRole !== 'service' && requestRole !== 'anon';
  const now = Math.max(useNow(), Date.now());
  const { data, isFetching, refetch } = useQuery({ ...acting(appRef, requestRole), enabled: isMember });
  if (!isMember || !data) return null;
  const minutes = Math.ceil((Date.parse(data.expires_at) - now) / 60_000);
  const goOn = async () => {
    await refetch();
    await queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'acting' });
  };
  return (
    <span role="status">
      {minutes > 0
        ? `You act as this member for ${minutes} more min. Changes are permanent.`
        : 'You no longer act as this member.'}{' '}
      {minutes <= 0 && (
        <Button small busy={isFetching && 'Asking'} onClick={() => void goOn()}>
          Act again
        </Button>
      )}
      <Button small kind="quiet" onClick={onStop}>
        Stop
      </Button>
    </span>
  );
}
