import { IconTerminal2 } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ButtonLook, buttonClass } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';

/** Link that looks like a button and opens SQL in the editor. */
export function SqlLink({
  appRef,
  sql,
  kind = 'usual',
  small = true,
  words = 'Open in SQL',
}: {
  appRef: string;
  sql: string;
  kind?: ButtonLook['kind'];
  small?: boolean;
  words?: string;
}) {
  return (
    <Link to="/app/$ref/sql" params={{ ref: appRef }} search={{ sql }} className={buttonClass({ kind, small })}>
      <Icon of={IconTerminal2} small={small} />
      {words}
    </Link>
  );
}
