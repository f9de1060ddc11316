import type { BusMessage, BusSubscriber } from '../../src/realtime/bus/bus.ts';
import type { BusToWorker } from '../../src/realtime/bus/bus-message.ts';
import { BusSwitch } from '../../src/realtime/bus/bus-switch.ts';
import { WorkerBus } from '../../src/realtime/bus/worker-bus.ts';

/** A node of the bus with workers in this process. */
export interface BusNode {
  readonly hub: BusSwitch<string>;
  /** The messages of the switch to all workers. */
  readonly messages: BusToWorker[];
  /**
   * Adds a worker.
   * @param takes Resolves when the worker can take the next message.
   */
  addWorker(takes?: () => Promise<void> | null): { worker: WorkerBus; end(): void };
}

export function makeBusNode(): BusNode {
  const hub = new BusSwitch<string>();
  const messages: BusToWorker[] = [];
  let number = 0;
  return {
    hub,
    messages,
    addWorker: (takes = () => null) => {
      const name = String(++number);
      const id = hub.add(name, number, (message, sent) => {
        messages.push(message);
        void Promise.resolve(takes()).then(() => {
          worker.receive(message);
          sent();
        });
      });
      const worker = new WorkerBus(
        id,
        (message, sent) => {
          hub.receive(name, message);
          setImmediate(sent);
        },
        () => undefined,
      );
      return { worker, end: () => hub.remove(name) };
    },
  };
}

/** Returns a subscriber that records its calls as texts, with the number of the sender. */
export function busRecorder(): { calls: string[]; subscriber: BusSubscriber } {
  const calls: string[] = [];
  const numberOf = (from: string) => from.split('.').at(-1);
  return {
    calls,
    subscriber: {
      receive: ({ kind, ref, topic, body }, from) =>
        calls.push(`${kind} ${ref}/${topic} ${Buffer.from(body)} ${numberOf(from)}`),
      onPeerLost: (from) => calls.push(`lost ${numberOf(from)}`),
      onConnected: (isConnected) => calls.push(`connected ${isConnected}`),
    },
  };
}

/** Returns a broadcast of the app `app`. */
export const broadcastOn = (topic: string, body: string | Uint8Array = ''): BusMessage => ({
  kind: 'broadcast',
  ref: 'app',
  topic,
  body: Buffer.from(body),
});
