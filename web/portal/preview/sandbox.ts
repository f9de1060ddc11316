/**
 * Replaces the parts of the browser that an opaque origin lacks or that a preview must not use: storage is memory, sockets never open, and
 * nothing leaves the page.
 */
export function closeDoors(): void {
  for (const name of ['localStorage', 'sessionStorage']) define(window, name, new MemoryStorage());
  define(window, 'WebSocket', SilentSocket);
  define(window, 'BroadcastChannel', undefined);
  define(navigator, 'locks', undefined);
  keepFocus();
  submitForms();
  // A link that the pages do not handle themselves would leave the preview.
  window.addEventListener('click', (event) => {
    if (event.target instanceof Element && event.target.closest('a[href]')) event.preventDefault();
  });
}

/** Reports the page as hidden, so that a picture does not read its rows again and again. */
export function standStill(): void {
  define(document, 'hidden', true);
  define(document, 'visibilityState', 'hidden');
}

const define = (target: object, name: string, value: unknown) =>
  Object.defineProperty(target, name, { value, configurable: true, writable: true });

/** Storage of this page in memory. */
class MemoryStorage implements Storage {
  readonly #items = new Map<string, string>();
  get length(): number {
    return this.#items.size;
  }
  clear(): void {
    this.#items.clear();
  }
  getItem(key: string): string | null {
    return this.#items.get(key) ?? null;
  }
  key(place: number): string | null {
    return [...this.#items.keys()][place] ?? null;
  }
  removeItem(key: string): void {
    this.#items.delete(key);
  }
  setItem(key: string, value: string): void {
    this.#items.set(key, String(value));
  }
}

/** A socket that stays in the state CONNECTING, so that its owner waits and does not try again. */
class SilentSocket extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSING = 2;
  static readonly CLOSED = 3;
  readonly readyState = 0;
  send(): void {}
  close(): void {}
}

/** Moves the focus only while the reader works in the preview, so that a new page in it does not take the console's focus. */
function keepFocus(): void {
  const focus = HTMLElement.prototype.focus;
  HTMLElement.prototype.focus = function focusInside(options?: FocusOptions) {
    if (document.hasFocus()) focus.call(this, options);
  };
}

/**
 * Sends the event `submit` itself when a form is submitted, because a sandbox without `allow-forms` does not. The code of
 * the form runs, and its request is then refused in words.
 */
function submitForms(): void {
  document.addEventListener('click', (event) => {
    const target = event.target instanceof Element ? event.target.closest('button, input[type="submit"]') : null;
    const isSubmitter = target instanceof HTMLButtonElement || target instanceof HTMLInputElement;
    if (!isSubmitter || target.type !== 'submit' || !target.form || event.defaultPrevented) return;
    event.preventDefault();
    if (!target.form.noValidate && !target.formNoValidate && !target.form.reportValidity()) return;
    target.form.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true, submitter: target }));
  });
}
