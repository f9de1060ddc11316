import { useLostConnection } from './connection.ts';
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

/** Options of a query whose rows are read at intervals, so that the page shows the changes of other users. */
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

/**
 * Reads the shown rows at intervals while the page is visible. One read ends before the next one begins, so a slow
 * server gets fewer requests. Returns a function that stops it.
 */
export function followRows(): () => void {
  let actedAt = performance.now();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;
  let times = 0;
  const read = async () => {
    clearTimeout(timer);
    if (!document.hidden && holds === 0 && !isChoosing()) {
      times += 1;
      const predicate = ({ meta }: { meta?: Record<string, unknown> | undefined }) =>
        meta?.isFollowed === 'often' || (meta?.isFollowed === 'seldom' && times % SELDOM === 0);
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
    clearTimeout(timer);
    for (const event of events) removeEventListener(event, onAct);
  };
}

/** Returns true while changes of others reach the page by themselves. */
export const useIsLive = (): boolean => !useLostConnection();
