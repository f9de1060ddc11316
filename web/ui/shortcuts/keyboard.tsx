import {
  createContext,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import { keyName } from '../key-name.ts';
import { type Binding, press } from './bindings.ts';

interface Keyboard {
  /** All active bindings, in the order in which components added them. */
  bindings: readonly Binding[];
  /** True if keys without Ctrl, Cmd or Alt are active. WCAG 2.1.4 requires that the reader can switch them off. */
  singleKeys: boolean;
  setSingleKeys: (on: boolean) => void;
}

/**
 * The bindings of all mounted components. A key press reads them here and not from React's state, because the state
 * follows a render later: a key that is pressed as soon as a panel is visible must find the bindings of the panel.
 */
class BindingList {
  #groups: readonly (readonly Binding[])[] = [];
  #flat: readonly Binding[] = [];
  readonly #listeners = new Set<() => void>();

  /** Returns the active bindings. The array is the same until a component adds or removes bindings. */
  readonly get = (): readonly Binding[] => this.#flat;

  /** Adds bindings. Returns the function that removes them. */
  readonly add = (added: readonly Binding[]): (() => void) => {
    this.#set([...this.#groups, added]);
    return () => this.#set(this.#groups.filter((group) => group !== added));
  };

  /** Calls `listener` after each change. Returns the function that ends this. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #set(groups: readonly (readonly Binding[])[]): void {
    this.#groups = groups;
    this.#flat = groups.flat();
    for (const listener of this.#listeners) listener();
  }
}

interface KeyboardOfPage {
  list: BindingList;
  singleKeys: boolean;
  setSingleKeys: (on: boolean) => void;
}

const KeyboardContext = createContext<KeyboardOfPage | null>(null);

const storageKey = 'ninefold-single-keys';
const patience = 1200;

/** Handles the key presses for the components below it. */
export function KeyboardProvider({ children }: { children: ReactNode }) {
  const [list] = useState(() => new BindingList());
  const [singleKeys, setSingle] = useState(() => localStorage.getItem(storageKey) !== 'off');
  const setSingleKeys = useCallback((on: boolean) => {
    localStorage.setItem(storageKey, on ? 'on' : 'off');
    setSingle(on);
  }, []);
  useKeyListener(list, singleKeys);
  const keyboard = useMemo(() => ({ list, singleKeys, setSingleKeys }), [list, singleKeys, setSingleKeys]);
  return <KeyboardContext value={keyboard}>{children}</KeyboardContext>;
}

/** Listens to key presses and runs their bindings. */
function useKeyListener(list: BindingList, singleKeys: boolean) {
  useEffect(() => {
    let pending = { keys: '', since: 0 };
    const listen = (event: KeyboardEvent) => {
      const key = keyName(event);
      if (key === null || event.defaultPrevented) return;
      const begun = event.timeStamp - pending.since < patience ? pending.keys : '';
      const outcome = press(list.get(), begun, key, !singleKeys || rests(event.target));
      pending = { keys: outcome.pending, since: event.timeStamp };
      if (!outcome.binding) return;
      event.preventDefault();
      outcome.binding.run();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [list, singleKeys]);
}

/** Returns true if single keys do not work at the target of a key press: in a field, and in an open dialog or menu. */
const rests = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest(
    'input, textarea, select, [contenteditable]:not([contenteditable="false"]), dialog, [role="dialog"], [role="menu"]',
  ) !== null;

/** Returns the active bindings and the choice of single keys. Requires KeyboardProvider. */
export function useKeyboard(): Keyboard {
  const { list, singleKeys, setSingleKeys } = useKeyboardOfPage();
  const bindings = useSyncExternalStore(list.subscribe, list.get);
  return { bindings, singleKeys, setSingleKeys };
}

/** Binds keys while the component is mounted. `bindings` must be memoised. Their actions may use the latest state of the component. */
export function useKeys(bindings: readonly Binding[]): void {
  const { list } = useKeyboardOfPage();
  useLayoutEffect(() => {
    const remove = list.add(bindings);
    return () => remove();
  }, [list, bindings]);
}

function useKeyboardOfPage(): KeyboardOfPage {
  const keyboard = use(KeyboardContext);
  if (!keyboard) throw new Error('The keys of a page need a KeyboardProvider above it.');
  return keyboard;
}

/** True if the keyboard has a Cmd key. */
export const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);
