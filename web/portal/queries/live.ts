import type { Query } from '@tanstack/react-query';
import { code } from '../../ui/recovery/code.ts';
import type { Portal } from './client.ts';
import { useLostConnection } from './connection.ts';
import type { LiveRows } from './live-rows.ts';
import { queryClient } from './session.ts';

/**
 * Time in ms between two reads of the shown rows: while the member works, after a minute without a key or the pointer,
 * and after ten minutes.
 */
const PAUSES = [
  { idle: 60_000, pause: 5_000 },
  { idle: 600_000, pause: 20_000 },
  { idle: Number.POSITIVE_INFINITY, pause: 60_000 },
] as const;

/** Options of a query whose rows are followed, so that the page shows the changes of other users. */
export const followed = { meta: { isFollowed: 'often' } } as const;

/** Options of a query that counts rows. Only every fourth interval reads it. */
export const followedSeldom = { meta: { isFollowed: 'seldom' } } as const;
const SELDOM = 4;

/** Returns the pause in milliseconds before the next read. */
const pauseAfter = (idleMilliseconds: number): number =>
  PAUSES.find(({ idle }) => idleMilliseconds < idle)?.pause ?? 60_000;

let holds = 0;

/** Stops reading rows until the returned function is called, for example while the member drags a card. */
export function holdRows(): () => void {
  holds += 1;
  let isHeld = true;
  return () => {
    if (isHeld) holds -= 1;
    isHeld = false;
  };
}

/** Returns true while the list of a select field is open, because the browser closes it if its options change. */
const isChoosing = (): boolean =>
  CSS.supports('selector(select:open)') && document.querySelector('select:open') !== null;

/** Time between two attempts to load the code of live lists, which waits until the first screen has its rows. */
const LOAD_MILLISECONDS = 1500;

const loadLiveRows = code(() => import('./live-rows.ts'));

/** The live lists of these pages; null until their code is loaded. */
let liveRows: LiveRows | null = null;
const waiting = new Set<(live: LiveRows) => void>();

/** Calls `use` with the live lists as soon as their code is loaded. Returns a function that cancels this. */
export function withLiveRows(use: (live: LiveRows) => void): () => void {
  if (liveRows) use(liveRows);
  else waiting.add(use);
  return () => waiting.delete(use);
}

/** Follows the shown rows by live lists. Returns a function that stops it. */
function followLive(portal: Portal): () => void {
  let isStopped = false;
  let own: LiveRows | null = null;
  const load = () =>
    loadLiveRows().then(
      ({ LiveRows: Live }) => {
        if (isStopped) return;
        own = new Live(portal, () => holds > 0 || isChoosing());
        liveRows = own;
        for (const use of waiting) use(own);
        waiting.clear();
      },
      // Without the code, the rows are read at intervals.
      () => undefined,
    );
  const loading = setInterval(() => {
    if (queryClient.isFetching() > 0) return;
    clearInterval(loading);
    void load();
  }, LOAD_MILLISECONDS);
  return () => {
    isStopped = true;
    clearInterval(loading);
    own?.stop();
    if (liveRows === own) liveRows = null;
  };
}

/**
 * Follows the shown rows while the page is visible. Rows that no live list brings are read at intervals. One read ends
 * before the next one begins, so a slow server gets fewer requests. Returns a function that stops it.
 */
export function followRows(portal: Portal): () => void {
  const stopLive = followLive(portal);
  let actedAt = performance.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  let times = 0;
  const read = async () => {
    clearTimeout(timer);
    if (!document.hidden && holds === 0 && !isChoosing()) {
      times += 1;
      const predicate = (query: Query) => {
        const isDue =
          query.meta?.isFollowed === 'often' || (query.meta?.isFollowed === 'seldom' && times % SELDOM === 0);
        return isDue && liveRows?.covers(query) !== true;
      };
      await queryClient.refetchQueries({ predicate, type: 'active' }, { cancelRefetch: false });
    }
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(read, pauseAfter(performance.now() - actedAt));
  };
  const onAct = () => {
    const wasIdle = pauseAfter(performance.now() - actedAt) > PAUSES[0].pause;
    actedAt = performance.now();
    if (wasIdle) void read();
  };
  const events = ['pointermove', 'pointerdown', 'keydown', 'wheel', 'touchmove'];
  for (const event of events) addEventListener(event, onAct, { passive: true });
  timer = setTimeout(read, PAUSES[0].pause);
  return () => {
    isStopped = true;
    stopLive();
    clearTimeout(timer);
    for (const event of events) removeEventListener(event, onAct);
  };
}

/** Returns true while changes of others reach the page by themselves. */
export const useIsLive = (): boolean => !useLostConnection();
