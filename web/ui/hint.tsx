import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';

/** Pause in ms before a hint appears. */
const PAUSE = 300;

/**
 * Shows a hint beside an element after the pointer has been over it, or the focus on it, for a short time. It is hidden
 * from screen readers, because the element has the same words as its name or description.
 */
export function Hint({ of, label }: { of: HTMLElement; label: string }) {
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsOpen(true), PAUSE);
    return () => clearTimeout(timer);
  }, []);
  return <Tooltip target={of} opened={isOpen} label={label} aria-hidden />;
}
