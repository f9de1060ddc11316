import { notifyManager, QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, it, vi } from 'vitest';
import { queryClient } from './query-client.ts';

afterEach(() => queryClient.clear());

it('a failure stays in sight while it is asked again, until an answer comes', async () => {
  const failure = new Error('refused');
  let isMended = false;
  const queryFn = async () => {
    if (!isMended) throw failure;
    return 'an answer';
  };
  const observer = new QueryObserver(queryClient, { queryKey: ['kept'], queryFn, retry: false });
  const seen: string[] = [];
  // As React is told of a change: it reads the result once all of it is there.
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
