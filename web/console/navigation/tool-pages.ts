import {
  type Icon,
  IconBolt,
  IconBroadcast,
  IconClock,
  IconFolder,
  IconHistory,
  IconId,
  IconList,
  IconMail,
  IconSettings,
  IconStack2,
  IconTable,
  IconTerminal2,
  IconUsers,
} from '@tabler/icons-react';

interface WorkPage {
  name: string;
  to: string;
  icon: Icon;
  /** The key that opens the page when it is pressed after G. */
  letter: string;
  /** Other pages that belong to this entry of the side bar. */
  holds?: readonly string[];
}

/** The tools, in the order of the side bar. */
export const toolPages = [
  { name: 'Data', to: '/app/$ref/data', icon: IconTable, letter: 'd' },
  { name: 'Files', to: '/app/$ref/files', icon: IconFolder, letter: 'f' },
  { name: 'Realtime', to: '/app/$ref/realtime', icon: IconBroadcast, letter: 'r' },
  { name: 'Functions', to: '/app/$ref/functions', icon: IconBolt, letter: 'n' },
  { name: 'Queues', to: '/app/$ref/queues', icon: IconStack2, letter: 'q' },
  { name: 'SQL', to: '/app/$ref/sql', icon: IconTerminal2, letter: 's' },
  { name: 'Jobs', to: '/app/$ref/jobs', icon: IconClock, letter: 'j' },
  { name: 'Users', to: '/app/$ref/users', icon: IconUsers, letter: 'u' },
  { name: 'Sessions', to: '/app/$ref/sessions', icon: IconId, letter: 'e' },
  { name: 'Mail', to: '/app/$ref/mail', icon: IconMail, letter: 'm' },
  { name: 'Logs', to: '/app/$ref/logs', icon: IconList, letter: 'l' },
  { name: 'Audit log', to: '/app/$ref/audit', icon: IconHistory, letter: 'a' },
  {
    name: 'Settings',
    to: '/app/$ref/settings',
    icon: IconSettings,
    letter: ',',
    holds: [
      '/app/$ref/api-keys',
      '/app/$ref/keys',
      '/app/$ref/applications',
      '/app/$ref/sign-in-methods',
      '/app/$ref/team',
    ],
  },
] as const satisfies readonly WorkPage[];
