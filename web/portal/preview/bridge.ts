import type { FromPreview, PreviewMember, ToPreview } from '../../../contract/preview.ts';
import { t } from '../../language/messages.ts';

/** Time in ms after which a request without a reply counts as lost. */
const REPLY_MILLISECONDS = 30_000;

type Reply = Extract<ToPreview, { kind: 'reply' }>;

/** Sends the requests of the pages to the console, which answers them as the chosen caller. */
export class PreviewBridge {
  readonly #port: MessagePort;
  readonly #member: PreviewMember | null;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #id = 0;

  constructor(port: MessagePort, member: PreviewMember | null) {
    this.#port = port;
    this.#member = member;
  }

  /** Receives a reply of the console. */
  onReply(reply: Reply): void {
    this.#waiting.get(reply.id)?.(reply);
    this.#waiting.delete(reply.id);
  }

  /** Answers a request in place of `fetch`. Nothing leaves the page but messages to the console. */
  readonly fetch = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const request = input instanceof Request ? input : null;
    const url = new URL(request?.url ?? String(input), location.origin);
    const method = (init.method ?? request?.method ?? 'GET').toUpperCase();
    const signal = init.signal ?? request?.signal;
    signal?.throwIfAborted();
    if (url.pathname === '/auth/v1/user' && method === 'GET' && this.#member) return json(200, this.#member);
    const isRead = method === 'GET' || method === 'HEAD';
    if (url.origin !== location.origin || !isRead || url.pathname.startsWith('/auth/')) return refusal();
    const target = `${url.pathname}${url.search}`;
    const headers = [...new Headers(init.headers ?? request?.headers)];
    const reply = await this.#ask({ kind: 'request', id: ++this.#id, method, target, headers }, signal);
    const isEmpty = method === 'HEAD' || [204, 205, 304].includes(reply.status);
    const response = new Response(isEmpty ? null : reply.body, {
      status: reply.status,
      headers: reply.headers.map(([name, value]): [string, string] => [name, value]),
    });
    return Object.defineProperty(response, 'url', { value: url.href });
  };

  #ask(request: Extract<FromPreview, { kind: 'request' }>, signal: AbortSignal | undefined): Promise<Reply> {
    return new Promise<Reply>((resolve, reject) => {
      const timer = setTimeout(() => fail(new TypeError('The console does not reply.')), REPLY_MILLISECONDS);
      const fail = (reason: unknown) => {
        clearTimeout(timer);
        this.#waiting.delete(request.id);
        reject(reason);
      };
      signal?.addEventListener('abort', () => fail(signal.reason));
      this.#waiting.set(request.id, (reply) => {
        clearTimeout(timer);
        resolve(reply);
      });
      this.#port.postMessage(request);
    });
  }
}

/** Refuses a change in words, in the form of the data API and of the auth API. */
function refusal(): Response {
  const message = t('previewChangesNothing');
  const code = 'preview_changes_nothing';
  return json(400, { code, error_code: code, message, msg: message, hint: null, details: null });
}

const json = (status: number, value: unknown): Response =>
  new Response(JSON.stringify(value), { status, headers: { 'content-type': 'application/json' } });
