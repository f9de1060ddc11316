import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { PortalScreen } from '../../../../contract/portal.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';

/** First button of a list, a board or a calendar. Opens the form of a new row. */
export const NewLink = ({ form }: { form: PortalScreen }) => (
  <Link to={form.route} className={buttonClass({ kind: 'first' })}>
    <Icon of={IconPlus} />
    {form.title}
  </Link>
);
