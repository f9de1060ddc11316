import { describe, expect, it } from 'vitest';
import { keyName } from '../key-name.ts';
import { type Binding, caps, press } from './bindings.ts';

const binding = (keys: string, more: Partial<Binding> = {}): Binding => ({
  keys,
  group: 'Go',
  does: keys,
  run: () => {},
  ...more,
});
const plain = { ctrlKey: false, metaKey: false, altKey: false };

describe('press', () => {
  const bindings = [binding('g d'), binding('g s'), binding('t'), binding('s'), binding('mod+k', { inFields: true })];

  it('runs the binding of a single key at once', () => {
    expect(press(bindings, '', 't', false).binding?.keys).toBe('t');
  });

  it('waits for the second key of a pair, then runs the binding of the pair instead of that of the single key', () => {
    expect(press(bindings, '', 'g', false)).toEqual({ binding: null, pending: 'g' });
    expect(press(bindings, 'g', 's', false).binding?.keys).toBe('g s');
  });

  it('discards a pair without a binding, and runs the binding of the second key alone', () => {
    expect(press(bindings, 'g', 't', false).binding?.keys).toBe('t');
    expect(press(bindings, 'g', 'x', false)).toEqual({ binding: null, pending: '' });
  });

  it('ignores single keys while a field has the focus', () => {
    expect(press(bindings, '', 't', true)).toEqual({ binding: null, pending: '' });
    expect(press(bindings, '', 'mod+k', true).binding?.keys).toBe('mod+k');
  });

  it('prefers the binding of a page to the binding of the layout', () => {
    const own = binding('t', { does: 'of the page' });
    expect(press([...bindings, own], '', 't', false).binding?.does).toBe('of the page');
  });
});

it('keyName names a key as bindings do, on any keyboard', () => {
  expect(keyName({ ...plain, key: 'K', metaKey: true })).toBe('mod+k');
  expect(keyName({ ...plain, key: 'k', ctrlKey: true })).toBe('mod+k');
  expect(keyName({ ...plain, key: '?' })).toBe('?');
  expect(keyName({ ...plain, key: 'Escape' })).toBe('esc');
  expect(keyName({ ...plain, key: 'Enter', altKey: true })).toBe('alt+enter');
  expect(keyName({ ...plain, key: 'Shift' })).toBeNull();
});

it("caps shows key caps in the notation of the reader's keyboard", () => {
  expect(caps('mod+k', false)).toEqual(['Ctrl K']);
  expect(caps('mod+k', true)).toEqual(['⌘ K']);
  expect(caps('g d', false)).toEqual(['G', 'D']);
  expect(caps('mod+enter', false)).toEqual(['Ctrl Enter']);
});
