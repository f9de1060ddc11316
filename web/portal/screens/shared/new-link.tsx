import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { PortalScreen } from '../../../../contract/portal.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';

/** Opens the form of a new row. It is the main button of a page unless the page has a more important one. */
export const NewLink = ({ form, isFirst = true }: { form: PortalScreen; isFirst?: boolean }) => (
  <Link to={form.route} className={buttonClass(isFirst ? { kind: 'first' } : {})}>
    <Icon of={IconPlus} />
    {form.title}
  </Link>
);
