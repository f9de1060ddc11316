import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { NewObject, Sending } from './storage-address.ts';
import { UploadQueue, type UploadState } from './upload-queue.ts';

/** A file that is being sent, and the functions that end it. */
interface Sent extends Sending {
  path: string;
  replaces: boolean;
  resolve: () => void;
  reject: (error: Error) => void;
}

const lost = new Error('The server does not answer.');
let online: () => void;
let sent: Sent[];
let done: string[];
let queue: UploadQueue;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('window', {
    addEventListener: (_: 'online', listener: () => void) => {
      online = listener;
    },
  });
  sent = [];
  done = [];
  queue = new UploadQueue({
    send: ({ path, replaces }, sending) =>
      new Promise((resolve, reject) => {
        sent.push({ path, replaces, ...sending, resolve, reject });
      }),
    isLost: (error) => error === lost,
    onDone: ({ path }) => done.push(path),
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const object = (path: string): NewObject => ({ file: new File(['1234'], path), bucket: 'b', path, replaces: false });
const states = (): UploadState[] => queue.get().map(({ state }) => state);
const settle = () => vi.advanceTimersByTimeAsync(0);
const idOf = (path: string): number => queue.get().find((upload) => upload.path === path)?.id ?? -1;

describe('UploadQueue', () => {
  it('sends three files at the same time, and the next one when one has ended', async () => {
    queue.add(['a', 'b', 'c', 'd'].map(object));
    expect(states()).toEqual(['running', 'running', 'running', 'waiting']);
    sent[1]?.resolve();
    await settle();
    expect(states()).toEqual(['running', 'done', 'running', 'running']);
    expect(done).toEqual(['b']);
  });

  it('tells its subscribers the progress', async () => {
    const heard: number[] = [];
    queue.subscribe(() => heard.push(queue.get()[0]?.sent ?? -1));
    queue.add([object('a')]);
    sent[0]?.onProgress(2);
    sent[0]?.resolve();
    await settle();
    expect(heard).toContain(2);
    expect(heard.at(-1)).toBe(4);
  });

  it('continues a lost upload after a pause, or as soon as the browser is online', async () => {
    queue.add([object('a')]);
    sent[0]?.reject(lost);
    await settle();
    expect(states()).toEqual(['lost']);
    await vi.advanceTimersByTimeAsync(5000);
    expect(states()).toEqual(['running']);
    sent[1]?.reject(lost);
    await settle();
    online();
    expect(states()).toEqual(['running']);
    expect(sent).toHaveLength(3);
  });

  it('does not send a refused file again by itself', async () => {
    queue.add([object('a')]);
    sent[0]?.reject(new Error('too large'));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(states()).toEqual(['failed']);
    expect(sent).toHaveLength(1);
    queue.replace(idOf('a'));
    expect(sent[1]?.replaces).toBe(true);
  });

  it('stops a paused upload and ignores what it reports later', async () => {
    queue.add([object('a')]);
    queue.pause(idOf('a'));
    expect(sent[0]?.signal.aborted).toBe(true);
    sent[0]?.onProgress(3);
    sent[0]?.reject(new Error('aborted'));
    await settle();
    expect(queue.get()[0]).toMatchObject({ state: 'paused', sent: 0 });
    queue.resume(idOf('a'));
    expect(states()).toEqual(['running']);
  });

  it('stops an upload that is removed, and begins the next one', async () => {
    queue.add(['a', 'b', 'c', 'd'].map(object));
    queue.remove(idOf('a'));
    await settle();
    expect(sent[0]?.signal.aborted).toBe(true);
    expect(queue.get().map(({ path, state }) => `${path} ${state}`)).toEqual(['b running', 'c running', 'd running']);
  });

  it('pauses and continues all uploads', () => {
    queue.add(['a', 'b', 'c', 'd'].map(object));
    queue.pauseAll();
    expect(states()).toEqual(['paused', 'paused', 'paused', 'paused']);
    queue.resumeAll();
    expect(states()).toEqual(['running', 'running', 'running', 'waiting']);
  });

  it('removes only the ended uploads when it is cleared', async () => {
    queue.add(['a', 'b', 'c'].map(object));
    sent[0]?.resolve();
    sent[1]?.reject(new Error('refused'));
    await settle();
    queue.clear();
    expect(states()).toEqual(['running']);
  });
});
