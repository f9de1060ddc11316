import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { keyName } from '../key-name.ts';
import { type Binding, press } from './bindings.ts';

interface Keyboard {
  /** All active bindings, in the order in which components added them. */
  bindings: readonly Binding[];
  /** True if keys without Ctrl, Cmd or Alt are active. WCAG 2.1.4 requires that the reader can switch them off. */
  singleKeys: boolean;
  setSingleKeys: (on: boolean) => void;
}

const KeyboardContext = createContext<Keyboard | null>(null);
/** A context of its own for adding bindings, so that a component that adds bindings is not drawn again when another component adds some. */
const BindContext = createContext<((bindings: readonly Binding[]) => () => void) | null>(null);

const storageKey = 'ninefold-single-keys';
const patience = 1200;

/** Handles the key presses for the components below it. */
export function KeyboardProvider({ children }: { children: ReactNode }) {
  const [groups, setGroups] = useState<readonly (readonly Binding[])[]>([]);
  const [singleKeys, setSingle] = useState(() => localStorage.getItem(storageKey) !== 'off');
  const bindings = useMemo(() => groups.flat(), [groups]);

  const bind = useCallback((added: readonly Binding[]) => {
    setGroups((before) => [...before, added]);
    return () => setGroups((before) => before.filter((group) => group !== added));
  }, []);
  const setSingleKeys = useCallback((on: boolean) => {
    localStorage.setItem(storageKey, on ? 'on' : 'off');
    setSingle(on);
  }, []);

  useKeyListener(bindings, singleKeys);

  const keyboard = useMemo(() => ({ bindings, singleKeys, setSingleKeys }), [bindings, singleKeys, setSingleKeys]);
  return (
    <BindContext value={bind}>
      <KeyboardContext value={keyboard}>{children}</KeyboardContext>
    </BindContext>
  );
}

/** Listens to key presses and runs their bindings. */
function useKeyListener(bindings: readonly Binding[], singleKeys: boolean) {
  const pending = useRef({ keys: '', since: 0 });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const key = keyName(event);
      if (key === null || event.defaultPrevented) return;
      const begun = event.timeStamp - pending.current.since < patience ? pending.current.keys : '';
      const resting = !singleKeys || rests(event.target);
      const outcome = press(bindings, begun, key, resting);
      pending.current = { keys: outcome.pending, since: event.timeStamp };
      if (!outcome.binding) return;
      event.preventDefault();
      outcome.binding.run();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, [bindings, singleKeys]);
}

/** Returns true if single keys do not work at the target of a key press: in a field, and in an open dialog or menu. */
const rests = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest(
    'input, textarea, select, [contenteditable]:not([contenteditable="false"]), dialog, [role="dialog"], [role="menu"]',
  ) !== null;

/** Returns the active bindings and the choice of single keys. Requires KeyboardProvider. */
export function useKeyboard(): Keyboard {
  const keyboard = use(KeyboardContext);
  if (!keyboard) throw new Error('useKeyboard needs a KeyboardProvider above it.');
  return keyboard;
}

/** Binds keys while the component is mounted. `bindings` must be memoised. Their actions may use the latest state of the component. */
export function useKeys(bindings: readonly Binding[]): void {
  const bind = use(BindContext);
  if (!bind) throw new Error('useKeys needs a KeyboardProvider above it.');
  useEffect(() => {
    const unbind = bind(bindings);
    return () => unbind();
  }, [bind, bindings]);
}

/** True if the keyboard has a Cmd key. */
export const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);
