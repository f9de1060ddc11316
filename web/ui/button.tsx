import type { Icon as TablerIcon } from '@tabler/icons-react';
import {
  type ButtonHTMLAttributes,
  lazy,
  type ReactNode,
  type Ref,
  Suspense,
  type SyntheticEvent,
  useState,
} from 'react';
import styles from './button.module.css';
import { classNames } from './class-names.ts';
import { Icon } from './icon.tsx';
import { code } from './recovery/code.ts';

// The code that places a hint beside a button is large, so it is loaded when the first hint is shown.
const Hint = lazy(code(() => import('./hint.tsx').then((all) => ({ default: all.Hint }))));

export interface ButtonLook {
  /** `first`: the main button of a page. `quiet`: has no border until the pointer is over it. `danger`: deletes something. */
  kind?: 'first' | 'usual' | 'quiet' | 'danger';
  small?: boolean;
  /** True for a button that contains only an icon. It needs a `label`. */
  square?: boolean;
  wide?: boolean;
}

/** Returns the class of a button, for links that look like a button. */
export const buttonClass = ({ kind = 'usual', small = false, square = false, wide = false }: ButtonLook = {}): string =>
  classNames(styles.button, styles[kind], small && styles.small, square && styles.square, wide && styles.wide);

export interface ButtonProps extends ButtonLook, Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  icon?: TablerIcon;
  /** Accessible name and tooltip of a button that contains only an icon. */
  label?: string;
  /** Describes the pending action by a verb in -ing. While it is set, the button shows a moving line and ignores clicks. */
  busy?: string | false;
  /** The reason why the button is disabled. The tooltip shows it, and the button stays in the tab order so that everyone can read the reason. */
  offBecause?: string | null | undefined;
  ref?: Ref<HTMLButtonElement>;
  children?: ReactNode;
}

/** Button. It is disabled only with a reason, which it shows. */
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
  const hint = offBecause ?? (square ? label : undefined);
  const [hinted, setHinted] = useState<HTMLElement | null>(null);
  const show = ({ currentTarget }: SyntheticEvent<HTMLElement>) => setHinted(currentTarget);
  const hide = () => setHinted(null);
  const button = (
    <button
      aria-description={offBecause ?? undefined}
      {...rest}
      onPointerEnter={joined(show, rest.onPointerEnter)}
      onPointerLeave={joined(hide, rest.onPointerLeave)}
      onFocus={joined((event) => event.currentTarget.matches(':focus-visible') && show(event), rest.onFocus)}
      onBlur={joined(hide, rest.onBlur)}
      onKeyDown={joined(({ key }) => key === 'Escape' && hide(), rest.onKeyDown)}
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
  return (
    <>
      {button}
      {hint && hinted && (
        <Suspense>
          <Hint of={hinted} label={hint} />
        </Suspense>
      )}
    </>
  );
}

/** Returns a handler that calls two handlers. */
const joined =
  <Event,>(own: (event: Event) => void, given: ((event: Event) => void) | undefined) =>
  (event: Event): void => {
    own(event);
    given?.(event);
  };
