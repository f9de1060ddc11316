import { notifyManager, QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, it, vi } from 'vitest';
import { queryClient } from './query-client.ts';

afterEach(() => queryClient.clear());

it('queryClient keeps showing the failure of a query while the query runs again, until it succeeds', async () => {
  const failure = new Error('refused');
  let isMended = false;
  const queryFn = async () => {
    if (!isMended) throw failure;
    return 'an answer';
  };
  const observer = new QueryObserver(queryClient, { queryKey: ['kept'], queryFn, retry: false });
  const seen: string[] = [];
  // Like React, the test reads the result only after the complete batch of notifications.
  observer.subscribe(notifyManager.batchCalls(() => seen.push(observer.getCurrentResult().status)));

  await observer.refetch();
  expect(observer.getCurrentResult().error).toBe(failure);

  const again = observer.refetch();
  expect(observer.getCurrentResult()).toMatchObject({ error: failure, isFetching: true });
  await again;
  isMended = true;
  await observer.refetch();

  await vi.waitFor(() => expect(seen).toContain('success'));
  expect(seen.slice(seen.indexOf('error'))).not.toContain('pending');
  expect(observer.getCurrentResult()).toMatchObject({ error: null, data: 'an answer' });
});
