import { Tooltip } from '@mantine/core';
import type { Icon as TablerIcon } from '@tabler/icons-react';
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import styles from './button.module.css';
import { classNames } from './class-names.ts';
import { Icon } from './icon.tsx';

export interface ButtonLook {
  /** first: ink, one a page. quiet: no border until touched. danger: deletes. */
  kind?: 'first' | 'usual' | 'quiet' | 'danger';
  small?: boolean;
  /** An icon alone; give `label`. */
  square?: boolean;
  wide?: boolean;
}

/** The class of a button, for links that look like one. */
export const buttonClass = ({ kind = 'usual', small = false, square = false, wide = false }: ButtonLook = {}): string =>
  classNames(styles.button, styles[kind], small && styles.small, square && styles.square, wide && styles.wide);

export interface ButtonProps extends ButtonLook, Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  icon?: TablerIcon;
  /** The name for screen readers where the icon stands alone; also its tooltip. */
  label?: string;
  /** What is going on, a verb in -ing: shows a hairline and holds further clicks back. */
  busy?: string | false;
  /** Why it is switched off; shown as a tooltip. The button stays in the tab order so that the reason can be read. */
  offBecause?: string | null | undefined;
  ref?: Ref<HTMLButtonElement>;
  children?: ReactNode;
}

/** A button. Never disabled without a reason. */
export function Button({
  kind,
  small,
  square,
  wide,
  icon,
  label,
  busy = false,
  offBecause,
  type = 'button',
  onClick,
  className,
  children,
  ...rest
}: ButtonProps) {
  const off = Boolean(offBecause) || Boolean(busy);
  const button = (
    <button
      {...rest}
      type={type}
      className={classNames(
        buttonClass({ kind: kind ?? 'usual', small: small ?? false, square: square ?? false, wide: wide ?? false }),
        offBecause && styles.off,
        busy && styles.busy,
        className,
      )}
      aria-label={label ?? rest['aria-label']}
      aria-disabled={off || undefined}
      aria-busy={busy ? true : undefined}
      onClick={(event) => {
        if (off) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {icon && <Icon of={icon} small={small ?? false} />}
      {busy || children}
    </button>
  );
  const hint = offBecause ?? (square ? label : undefined);
  return hint ? <Tooltip label={hint}>{button}</Tooltip> : button;
}
