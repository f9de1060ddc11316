import { notifyManager, QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, it, vi } from 'vitest';
import { queryClient } from './query-client.ts';

afterEach(() => queryClient.clear());

it('shows a failure while its query runs again, until it succeeds', async () => {
  const failure = new Error('refused');
  let isMended = false;
  const queryFn = async () => {
    if (!isMended) throw failure;
    return 'an answer';
  };
  const observer = new QueryObserver(queryClient, { queryKey: ['kept'], queryFn, retry: false });
  const seen: string[] = [];
  // React is notified in the same way: it reads the result after the complete batch.
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
