import { computedParts } from '../../../../../contract/portal.ts';
import {
  type FromPreview,
  isPreviewRead,
  type PreviewStart,
  type PreviewView,
  type ToPreview,
} from '../../../../../contract/preview.ts';
import { answerPreview, type PreviewCaller } from '../../../queries/preview.ts';

/** Max number of requests of one preview that are in flight, and that wait. */
const IN_FLIGHT = 6;
const WAITING = 100;
/** Max number of loads of one frame. A preview that loads itself over and over is left alone. */
const LOADS = 3;

/** Receives the reports of a preview. */
export interface PreviewEvents {
  readonly onPath: (path: string) => void;
  readonly onPainted: () => void;
  readonly onNoRow: () => void;
}

/** The console's side of one preview: sends it what to show, and answers its requests. */
export class PreviewHost {
  readonly #ref: string;
  readonly #caller: PreviewCaller;
  readonly #events: PreviewEvents;
  #port: MessagePort | null = null;
  #view: PreviewView | null = null;
  #loads = 0;
  #inFlight = 0;
  #waiting: Extract<FromPreview, { kind: 'request' }>[] = [];

  constructor(ref: string, caller: PreviewCaller, events: PreviewEvents) {
    this.#ref = ref;
    this.#caller = caller;
    this.#events = events;
  }

  /**
   * Starts the preview after its frame has loaded, and gives it a port. Only the document of this frame gets the port. No
   * origin can be named, because that of the document is opaque; the Content-Security-Policy of the console lets the frame
   * hold no other page than the preview.
   */
  connect(frame: HTMLIFrameElement, start: PreviewStart): void {
    this.close();
    this.#view = start;
    this.#loads++;
    if (this.#loads > LOADS) return;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }: MessageEvent<FromPreview>) => this.#receive(port1, data);
    this.#port = port1;
    frame.contentWindow?.postMessage(start, '*', [port2]);
  }

  show(view: PreviewView): void {
    this.#view = view;
    this.#port?.postMessage({ kind: 'view', ...view } satisfies ToPreview);
  }

  close(): void {
    this.#port?.close();
    this.#port = null;
    this.#waiting = [];
  }

  #receive(port: MessagePort, message: FromPreview): void {
    switch (message?.kind) {
      case 'request':
        if (this.#inFlight < IN_FLIGHT) void this.#answer(port, message);
        else if (this.#waiting.length < WAITING) this.#waiting.push(message);
        return;
      case 'at':
        if (typeof message.path === 'string') this.#events.onPath(message.path);
        return;
      case 'painted':
        this.#events.onPainted();
        return;
      case 'no-row':
        this.#events.onNoRow();
    }
  }

  async #answer(port: MessagePort, request: Extract<FromPreview, { kind: 'request' }>): Promise<void> {
    this.#inFlight++;
    const target = withDraft(this.#view, request);
    const reply = await answerPreview(this.#ref, this.#caller, { ...request, target });
    this.#inFlight--;
    port.postMessage(reply, reply.body ? [reply.body] : []);
    const next = this.#waiting.shift();
    if (next && this.#port === port) void this.#answer(port, next);
  }
}

/**
 * Returns the target of a request. One for the figures of a page gets the parts that the draft of the page has, because
 * the server knows only the stored page. They have no titles, because figures need none and an address has a limit.
 */
function withDraft(
  view: PreviewView | null,
  { method, target }: Pick<Extract<FromPreview, { kind: 'request' }>, 'method' | 'target'>,
): string {
  // The message comes from a page that the app controls, and to parse a very long target takes seconds.
  if (view?.screens == null || typeof target !== 'string' || !isPreviewRead(method, target)) return target;
  const [path, query] = target.split('?', 2);
  if (path !== '/portal/v1/figures') return target;
  const asked = new URLSearchParams(query);
  const parts = computedParts(view.screens, asked.get('route'))?.map(({ part, entity }) => ({
    part: { ...part, title: '' },
    entity,
  }));
  if (parts) asked.set('parts', JSON.stringify(parts));
  return `${path}?${asked}`;
}
