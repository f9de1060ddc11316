import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Clock, Presence } from './presence.ts';
import { PresenceMember } from './presence-member.ts';

/** A clock whose time passes only by `advance`. */
class TestClock implements Clock {
  #now = 0;
  #timers: { at: number; work: () => void }[] = [];

  now = (): number => this.#now;

  after(milliseconds: number, work: () => void): () => void {
    const timer = { at: this.#now + milliseconds, work };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  advance(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#timers = this.#timers.filter((each) => each !== due);
      this.#now = Math.max(this.#now, due.at);
      due.work();
    }
    this.#now = end;
  }
}

type Metas = Record<string, { metas: Record<string, unknown>[] }>;

/** Applies a diff as the client of Phoenix does. */
function applyDiff(state: Metas, payload: string): void {
  const { joins, leaves } = JSON.parse(payload) as { joins: Metas; leaves: Metas };
  for (const [key, { metas }] of Object.entries(joins)) {
    const entry = state[key] ?? { metas: [] };
    for (const { phx_ref } of metas) expect(entry.metas.some((meta) => meta.phx_ref === phx_ref)).toBe(false);
    state[key] = { metas: [...entry.metas, ...metas] };
  }
  for (const [key, { metas }] of Object.entries(leaves)) {
    const gone = new Set(metas.map((meta) => meta.phx_ref));
    const left = state[key]?.metas.filter((meta) => !gone.has(meta.phx_ref)) ?? [];
    expect(state[key]?.metas.length).toBe(left.length + metas.length);
    if (left.length > 0) state[key] = { metas: left };
    else delete state[key];
  }
}

const sorted = (state: Metas) =>
  Object.entries(state)
    .map(([key, { metas }]) => [key, metas.map((meta) => String(meta.phx_ref)).sort()] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));

/** Workers that hold one topic, with a bus that can lose and repeat messages. */
class Workers {
  readonly clock = new TestClock();
  readonly names: readonly string[];
  readonly replicas = new Map<string, Presence>();
  readonly diffs = new Map<string, string[]>();
  /** State of a client of each worker. */
  readonly clients = new Map<string, Metas>();
  /** Decides how often a message arrives. */
  copies: () => number = () => 1;

  constructor(...names: string[]) {
    this.names = names;
    for (const name of names) {
      this.diffs.set(name, []);
      const presence = new Presence({
        peer: name,
        clock: this.clock,
        publish: (body) => this.#send(name, body),
        announce: (payload) => {
          this.diffs.get(name)?.push(payload);
          applyDiff(this.clients.get(name) as Metas, payload);
        },
      });
      presence.whenReady((state) => this.clients.set(name, JSON.parse(state)));
      this.replicas.set(name, presence);
    }
    this.clock.advance(200);
  }

  of(name: string): Presence {
    return this.replicas.get(name) as Presence;
  }

  #send(from: string, body: Uint8Array): void {
    for (const name of this.names) {
      if (name === from) continue;
      for (let left = this.copies(); left > 0; left--) {
        this.clock.after(1, () => this.replicas.get(name)?.receive(body, from));
      }
    }
  }
}

describe('Presence', () => {
  it('announces a member to the clients of all workers, an update as a leave and a join, and the end', () => {
    const workers = new Workers('a', 'b');
    const { clock } = workers;
    const id = workers.of('a').add('ann', '{"on":1}');
    clock.advance(300);
    const [joined] = (workers.clients.get('b') as Metas).ann?.metas ?? [];
    expect(joined).toEqual({ phx_ref: expect.stringMatching(/^a\./), on: 1 });
    const next = workers.of('a').add('ann', '{"on":2}', id);
    clock.advance(300);
    expect(JSON.parse(workers.diffs.get('b')?.at(-1) ?? '')).toEqual({
      joins: { ann: { metas: [{ phx_ref: expect.any(String), phx_ref_prev: joined?.phx_ref, on: 2 }] } },
      leaves: { ann: { metas: [joined] } },
    });
    workers.of('a').remove(next);
    clock.advance(300);
    expect(workers.clients.get('b')).toEqual({});
    expect(workers.clients.get('a')).toEqual({});
  });

  it('announces nothing for a join and a leave within one window', () => {
    const workers = new Workers('a', 'b');
    workers.of('a').remove(workers.of('a').add('ann', '{}'));
    workers.clock.advance(300);
    expect([workers.diffs.get('a'), workers.diffs.get('b')]).toEqual([[], []]);
  });

  it('gives the entries of all workers in the first state of a worker that subscribes later', () => {
    const workers = new Workers('a', 'b');
    workers.of('a').add('ann', '{}');
    workers.clock.advance(300);
    const diffs: string[] = [];
    const states: string[] = [];
    const late = new Presence({
      peer: 'c',
      clock: workers.clock,
      publish: (body) => workers.of('a').receive(body, 'c'),
      announce: (payload) => diffs.push(payload),
    });
    workers.replicas.set('c', late);
    (workers.names as string[]).push('c');
    late.whenReady((state) => states.push(state));
    workers.clock.advance(300);
    expect(Object.keys(JSON.parse(states[0] ?? ''))).toEqual(['ann']);
    expect(diffs).toEqual([]);
  });

  it('removes all entries of a lost worker in one diff', () => {
    const workers = new Workers('a', 'b');
    for (let i = 0; i < 50; i++) workers.of('a').add(`m${i}`, '{}');
    workers.clock.advance(300);
    workers.of('b').onPeerLost('a');
    workers.clock.advance(300);
    const diffs = workers.diffs.get('b') ?? [];
    expect(diffs).toHaveLength(2);
    expect(Object.keys(JSON.parse(diffs[1] ?? '').leaves)).toHaveLength(50);
  });

  it('makes at most 10 diffs a second of 1,000 joins', () => {
    const workers = new Workers('a', 'b');
    for (let i = 0; i < 1000; i++) {
      workers.of(i % 2 === 0 ? 'a' : 'b').add(`m${i}`, '{"name":"x"}');
      workers.clock.advance(1);
    }
    for (const name of workers.names) expect(workers.diffs.get(name)?.length).toBeLessThanOrEqual(10);
    workers.clock.advance(300);
    expect(Object.keys(workers.clients.get('a') as Metas)).toHaveLength(1000);
  });

  it('keeps a later entry of the same worker when a message of a closed topic arrives again', () => {
    const workers = new Workers('a', 'b');
    const sent: Uint8Array[] = [];
    const open = () =>
      new Presence({
        peer: 'a',
        clock: workers.clock,
        announce: () => undefined,
        publish: (body) => {
          sent.push(body);
          workers.of('b').receive(body, 'a');
        },
      });
    const first = open();
    first.add('old', '{}');
    workers.clock.advance(300);
    first.close();
    const second = open();
    second.add('new', '{}');
    workers.clock.advance(300);
    for (const body of [...sent]) workers.of('b').receive(body, 'a');
    workers.clock.advance(300);
    expect(Object.keys(workers.clients.get('b') as Metas)).toEqual(['new']);
  });

  it('rejects bytes that are no message', () => {
    const workers = new Workers('a');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        try {
          workers.of('a').receive(bytes, 'x');
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });

  it('converges over three workers whatever messages are lost or repeated', () => {
    const step = fc.record({
      worker: fc.constantFrom('a', 'b', 'c'),
      what: fc.constantFrom('track', 'update', 'untrack', 'lose', 'wait', 'reconnect'),
      key: fc.constantFrom('k1', 'k2', 'k3'),
      pause: fc.integer({ min: 0, max: 150 }),
      copies: fc.constantFrom(0, 1, 1, 1, 2),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const workers = new Workers('a', 'b', 'c');
        const own = new Map<string, { name: string; id: number }>();
        for (const [i, { worker, what, key, pause, copies }] of steps.entries()) {
          workers.copies = () => copies;
          const presence = workers.of(worker);
          const slot = `${worker} ${key}`;
          const known = own.get(slot);
          if (what === 'track' || what === 'update') {
            own.set(slot, { name: worker, id: presence.add(key, `{"i":${i}}`, known?.id ?? null) });
          } else if (what === 'untrack' && known) {
            presence.remove(known.id);
            own.delete(slot);
          } else if (what === 'lose') {
            for (const name of workers.names) if (name !== worker) workers.of(name).onPeerLost(worker);
          } else if (what === 'reconnect') {
            presence.onConnected(true);
          }
          workers.clock.advance(pause);
        }
        workers.copies = () => 1;
        workers.clock.advance(61_000);
        const expected = [...own].map(([slot, { name, id }]) => [slot.split(' ')[1], `${name}.${id.toString(36)}`]);
        for (const name of workers.names) {
          const state = sorted(workers.clients.get(name) as Metas);
          expect(state.flatMap(([key, refs]) => refs.map((ref) => [key, ref])).sort()).toEqual(expected.sort());
          expect(workers.of(name).size).toBe(expected.length);
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe('PresenceMember', () => {
  const member = () => {
    const workers = new Workers('a');
    return { workers, member: new PresenceMember(workers.of('a'), 'ann', workers.clock.now) };
  };
  const track = (payload: unknown) => ({ type: 'presence', event: 'track', payload });

  it('tracks, ignores the same object, and untracks', () => {
    const { workers, member: ann } = member();
    ann.handle(track({ at: 'home' }));
    workers.clock.advance(200);
    ann.handle(track({ at: 'home' }));
    workers.clock.advance(200);
    expect(workers.diffs.get('a')).toHaveLength(1);
    ann.handle({ event: 'untrack' });
    workers.clock.advance(200);
    expect(workers.clients.get('a')).toEqual({});
  });

  it('replaces the references of a client by its own', () => {
    const { workers, member: ann } = member();
    ann.handle(track({ phx_ref: 'forged', phx_ref_prev: 'forged', name: 'x' }));
    workers.clock.advance(200);
    expect((workers.clients.get('a') as Metas).ann?.metas).toEqual([
      { phx_ref: expect.stringMatching(/^a\./), name: 'x' },
    ]);
  });

  it('refuses what is no object, too many keys and a large object', () => {
    for (const payload of ['x', 5, [], true]) {
      expect(() => member().member.handle(track(payload))).toThrow('Presence track payload must be a map');
    }
    const keys = Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`k${i}`, i]));
    expect(() => member().member.handle(track(keys))).toThrow('at most 10 keys');
    expect(() => member().member.handle(track({ text: 'é'.repeat(4100) }))).toThrow('Track message size exceeded');
    expect(() => member().member.handle({ event: 'follow' })).toThrow('Unknown presence event');
  });

  it('allows five calls in 30 seconds', () => {
    const { workers, member: ann } = member();
    for (let i = 0; i < 5; i++) ann.handle(track({ i }));
    expect(() => ann.handle(track({ i: 6 }))).toThrow('Client presence rate limit exceeded');
    workers.clock.advance(30_000);
    ann.handle(track({ i: 7 }));
  });

  it('refuses the member after the 1,000th', () => {
    const workers = new Workers('a');
    for (let i = 0; i < 1000; i++) workers.of('a').add(`m${i}`, '{}');
    const late = new PresenceMember(workers.of('a'), 'late', workers.clock.now);
    expect(() => late.handle(track({}))).toThrow('The channel has too many members');
  });
});
