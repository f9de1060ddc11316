import { type Icon, IconApps, IconHistory, IconServer2, IconUsers } from '@tabler/icons-react';
import type { SignedInBuilder } from '../../../contract/admin.ts';

interface NodePage {
  readonly name: string;
  readonly to: string;
  readonly icon: Icon;
}

const all = [
  { name: 'Apps', to: '/', icon: IconApps },
  { name: 'Node', to: '/node', icon: IconServer2 },
  { name: 'Builders', to: '/builders', icon: IconUsers },
  { name: 'Audit log', to: '/audit', icon: IconHistory },
] as const satisfies readonly NodePage[];

/** Returns the pages of the node that a builder may open. Owners of the node may open all of them. */
export const nodePages = (builder: SignedInBuilder | null | undefined) =>
  all.filter(({ to }) => to === '/' || builder?.owns_node);
