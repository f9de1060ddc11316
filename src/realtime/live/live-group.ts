import { limits } from '../../../contract/limits.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import type { Identity } from '../../identity/identity.ts';
import type { TouchedTables } from '../changes/touched-tables.ts';
import { OutgoingBroadcast } from '../socket/outgoing.ts';
import { changesText, differenceOf, pageText } from './difference.ts';
import type { LiveFault, LivePlan, LiveReads } from './live-parts.ts';
import type { LiveSubscription, SubscribedGroup } from './live-subscription.ts';
import { readLiveTopic } from './live-topic.ts';
import { hasRepeatedKey, type KnownRow, type PageRow, splitRows } from './page.ts';

/** Errors of a busy or restarting database, after which a read is repeated. */
const PASSING: ReadonlySet<string> = new Set([
  'PGRST000',
  'PGRST001',
  'PGRST002',
  'PGRST003',
  '53300',
  '57P01',
  '57P03',
]);
/** Runs that may fail in this way one after the other before the channels end, and the pause before each of them. */
const MAX_FAILURES = 5;
const FAILURE_MILLISECONDS = 1000;

/** The services that all groups of an app share. */
export interface LiveGroupParts {
  readonly reads: LiveReads;
  readonly touched: Pick<TouchedTables, 'watch'>;
  /** Counts deliveries. Returns false if the app has none left in this second. */
  readonly takeDeliveries: (count: number) => boolean;
  /** Runs the group soon. */
  readonly schedule: (group: LiveGroup) => void;
  /** Called once, when the group has no subscription any more. */
  readonly onEmpty: (group: LiveGroup) => void;
}

/** All live lists of one text and one caller. They share each run of the read. */
export class LiveGroup implements SubscribedGroup {
  readonly key: string;
  readonly #topic: string;
  readonly #parts: LiveGroupParts;
  readonly #subscriptions = new Set<LiveSubscription>();
  #identity: Identity;
  #plan: LivePlan | null = null;
  /** The fields of the primary key that clients know. */
  #key = '';
  #isOneRow = false;
  #unwatch: () => void = () => undefined;
  #rows: readonly KnownRow[] | null = null;
  #running: Promise<void> | null = null;
  #failures = 0;
  #isClosed = false;
  /** Time before which the read does not run again. */
  notBefore = 0;

  /** @param topic The topic without `realtime:`. */
  constructor(key: string, topic: string, identity: Identity, parts: LiveGroupParts) {
    this.key = key;
    this.#topic = topic;
    this.#identity = identity;
    this.#parts = parts;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get isOneRow(): boolean {
    return this.#isOneRow;
  }

  /** Adds a subscription, which gets the page. Resolves when the read has run. */
  async add(subscription: LiveSubscription, identity: Identity): Promise<void> {
    this.#identity = identity;
    this.#subscriptions.add(subscription);
    await this.run();
  }

  remove(subscription: LiveSubscription): void {
    if (this.#subscriptions.delete(subscription) && this.#subscriptions.size === 0) this.close();
  }

  renew(identity: Identity): void {
    this.#identity = identity;
    this.#parts.schedule(this);
  }

  /** Plans the read again, because the schema has changed. */
  onSchemaChange(): void {
    this.#plan = null;
    this.#parts.schedule(this);
  }

  /** Schedules a run if a client waits for the page, or if the tables of the read are not all known. */
  check(now: number): void {
    const isWanted = [...this.#subscriptions].some((each) => each.wantsPage && !each.isSlow);
    const isDue =
      this.#plan?.isComplete === false && now - this.notBefore > limits.realtimeLiveUnknownSeconds.default * 1000;
    if (isWanted || isDue) this.#parts.schedule(this);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#unwatch();
    this.#parts.onEmpty(this);
  }

  /** Ends all channels. */
  end(fault: LiveFault): void {
    for (const subscription of [...this.#subscriptions]) subscription.end(fault);
    this.close();
  }

  /** Runs the read and sends the difference. Callers at the same time share one run. Never throws. */
  run(): Promise<void> {
    this.#running ??= this.#runOnce().finally(() => {
      this.#running = null;
      this.notBefore = Math.max(this.notBefore, performance.now() + limits.realtimeLivePauseMilliseconds.default);
    });
    return this.#running;
  }

  /** Runs the read again after a run that may have read before the last change. Never throws. */
  async runAgain(): Promise<void> {
    await this.#running;
    if (!this.#isClosed) await this.run();
  }

  async #runOnce(): Promise<void> {
    const identity = this.#identity;
    try {
      const plan = this.#plan ?? (await this.#prepare(identity));
      const rows = splitRows(await this.#parts.reads.run(identity, plan.query), plan.key);
      checkRows(rows);
      this.#failures = 0;
      if (!this.#isClosed) this.#deliver(plan, rows);
    } catch (error) {
      await this.#fail(error, identity);
    }
  }

  async #prepare(identity: Identity): Promise<LivePlan> {
    const plan = await this.#parts.reads.plan(identity, readLiveTopic(this.#topic));
    if (this.#key !== plan.key.join()) for (const subscription of this.#subscriptions) subscription.wantsPage = true;
    this.#key = plan.key.join();
    this.#isOneRow = plan.isOneRow;
    this.#plan = plan;
    const unwatch = await this.#parts.touched.watch(plan.tables, () => this.#parts.schedule(this));
    const before = this.#unwatch;
    this.#unwatch = unwatch;
    before();
    if (this.#isClosed) unwatch();
    return plan;
  }

  #deliver({ key }: LivePlan, rows: readonly PageRow[]): void {
    const old = this.#rows;
    this.#rows = rows.map((row) => ({ key: row.key, hash: row.hash }));
    const subscriptions = [...this.#subscriptions];
    const page = once(() => this.#message('page', pageText(key, rows)));
    const changes = old === null ? [] : differenceOf(old, rows);
    const text = changes.length === 0 ? '' : changesText(changes);
    const isSmaller = text.length < rows.reduce((sum, row) => sum + row.text.length, 0) + key.length;
    const difference = once(() => (isSmaller ? this.#message('changes', text) : page()));
    const receivers = subscriptions.filter(({ wantsPage }) => wantsPage || text !== '');
    const mayDeliver = this.#parts.takeDeliveries(receivers.length);
    for (const subscription of receivers) {
      if (!mayDeliver || subscription.isSlow) subscription.wantsPage = true;
      else subscription.send(subscription.wantsPage ? page() : difference());
      subscription.onRows(rows.length > 0);
    }
  }

  #message(event: string, text: string): OutgoingBroadcast {
    const payload = Buffer.from(text);
    return new OutgoingBroadcast(`realtime:${this.#topic}`, { event, payload, isBinary: false, meta: null });
  }

  async #fail(error: unknown, identity: Identity): Promise<void> {
    const known = await this.#parts.reads.faultOf(error, identity).catch(() => null);
    const { code, message } = known ?? new NinefoldError('RealtimeRestarting');
    this.#failures++;
    if (this.#rows !== null && PASSING.has(code) && this.#failures <= MAX_FAILURES && !this.#isClosed) {
      this.notBefore = performance.now() + FAILURE_MILLISECONDS;
      this.#parts.schedule(this);
      return;
    }
    this.end({ code, message });
  }
}

/** @throws NinefoldError LiveListRefused */
function checkRows(rows: readonly PageRow[]): void {
  const max = limits.realtimeLiveRows.default;
  if (rows.length > max) {
    throw new NinefoldError('LiveListRefused', {
      message: `The read returns more than ${max} rows. Add filters or limit.`,
    });
  }
  if (hasRepeatedKey(rows)) {
    throw new NinefoldError('LiveListRefused', { message: 'The read returns two rows with the same primary key.' });
  }
}

function once<T>(create: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= create();
    return value;
  };
}
