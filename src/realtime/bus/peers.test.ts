import { describe, expect, it } from 'vitest';
import { limits } from '../../../contract/limits.ts';
import { controlFrame, encodeMessage, readFrames } from './frame.ts';
import { Peers } from './peers.ts';

const silence = limits.realtimeNodeSilenceSeconds.default * 1000;

function makePeers() {
  const calls: string[] = [];
  const peers = new Peers('own', {
    onFrame: ({ from }) => calls.push(`frame ${from}`),
    onWorkerEnded: (id) => calls.push(`ended ${id}`),
    onWorkerSilent: (id) => calls.push(`silent ${id}`),
    onConnected: () => undefined,
    onLost: ({ ref, topic }) => calls.push(`lost ${ref}/${topic}`),
  });
  /** Passes a frame of a node on. Returns whether it was accepted. */
  const receive = (node: string, bytes: Uint8Array | null) => {
    let isAccepted = false;
    readFrames(bytes ?? new Uint8Array(), (frame) => {
      isAccepted = peers.receive(node, frame);
    });
    return isAccepted;
  };
  return { peers, calls, receive };
}

const message = (from: string) =>
  encodeMessage({ kind: 'presence', ref: 'app', topic: 'room', body: new Uint8Array(1) }, from);

describe('Peers', () => {
  it('voids the workers of a node that is silent for too long, and only those', () => {
    const { peers, calls, receive } = makePeers();
    peers.seen('a', 0);
    peers.seen('b', 0);
    for (const from of ['a.1', 'a.2']) receive('a', message(from));
    receive('b', message('b.1'));
    receive('a', controlFrame('ended', { from: 'a.2' }));
    peers.seen('b', silence);
    peers.sweep(silence);
    expect(peers.size).toBe(2);
    peers.sweep(silence + 1);
    expect(calls.slice(3)).toEqual(['ended a.2', 'silent a.1']);
    expect(peers.size).toBe(1);
  });

  it('lets all subscribers ask again when a silent node returns, and not when a new node appears', () => {
    const { peers, calls } = makePeers();
    peers.seen('a', 0);
    peers.sweep(silence + 1);
    expect(calls).toEqual([]);
    peers.seen('a', silence + 2);
    peers.seen('b', silence + 2);
    expect(calls).toEqual(['lost /']);
  });

  it('rejects frames in the name of another node, of an unknown node, and of kinds that only a primary sends', () => {
    const { peers, calls, receive } = makePeers();
    peers.seen('a', 0);
    expect(receive('a', message('b.1'))).toBe(false);
    expect(receive('a', message('own.1'))).toBe(false);
    expect(receive('c', message('c.1'))).toBe(false);
    for (const kind of ['silent', 'connected', 'disconnected'] as const) {
      expect(receive('a', controlFrame(kind, { from: 'a.1' })), kind).toBe(false);
    }
    expect(calls).toEqual([]);
  });

  it('bounds the number of nodes and of their workers', () => {
    const { peers, calls, receive } = makePeers();
    for (let i = 0; i < 2000; i++) peers.seen(`n${i}`, 0);
    expect(peers.size).toBeLessThanOrEqual(256);
    for (let i = 0; i < 5000; i++) receive('n0', message(`n0.${i}`));
    expect(calls.length).toBeLessThanOrEqual(1024);
  });
});
