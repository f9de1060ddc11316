import { Tooltip } from '@mantine/core';
import type { Icon as TablerIcon } from '@tabler/icons-react';
import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import styles from './button.module.css';
import { classNames } from './class-names.ts';
import { Icon } from './icon.tsx';

export interface ButtonLook {
  /** first: the main button of a page. quiet: without a border until hover. danger: deletes. */
  kind?: 'first' | 'usual' | 'quiet' | 'danger';
  small?: boolean;
  /** True for a button with only an icon; requires `label`. */
  square?: boolean;
  wide?: boolean;
}

/** Returns the class of a button, for links that look like a button. */
export const buttonClass = ({ kind = 'usual', small = false, square = false, wide = false }: ButtonLook = {}): string =>
  classNames(styles.button, styles[kind], small && styles.small, square && styles.square, wide && styles.wide);

export interface ButtonProps extends ButtonLook, Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  icon?: TablerIcon;
  /** Accessible name of a button with only an icon; also its tooltip. */
  label?: string;
  /** Description of the pending action, a verb in -ing. Shows a line and ignores further clicks. */
  busy?: string | false;
  /**
   * Why the button is disabled, shown as a tooltip. The button stays in the tab order so that the reason can be read.
   */
  offBecause?: string | null | undefined;
  ref?: Ref<HTMLButtonElement>;
  children?: ReactNode;
}

/** Button. It is never disabled without a reason. */
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
