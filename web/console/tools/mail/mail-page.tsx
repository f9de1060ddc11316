import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Segmented } from '../../../ui/segmented.tsx';
import { MailListPage } from './mail-list-page.tsx';
import { ServerPage } from './server-page.tsx';
import { TemplatesPage } from './templates-page.tsx';

const views = [
  ['mails', 'Mails'],
  ['templates', 'Templates'],
  ['server', 'Mail server'],
] as const;

/** Page of an app's mails, their templates, and the mail server. */
export function MailPage() {
  const { ref } = useParams({ from: '/signed-in/app/$ref/mail' });
  const { view = 'mails' } = useSearch({ from: '/signed-in/app/$ref/mail' });
  const navigate = useNavigate({ from: '/app/$ref/mail' });
  const choose = (chosen: string) =>
    void navigate({ search: chosen === 'mails' ? {} : { view: chosen }, replace: true });
  const tabs = <Segmented label="Part of the page" value={view} options={views} onChange={choose} />;
  if (view === 'templates') return <TemplatesPage appRef={ref} tabs={tabs} />;
  if (view === 'server') return <ServerPage appRef={ref} tabs={tabs} />;
  return <MailListPage appRef={ref} tabs={tabs} onServer={() => choose('server')} />;
}
