import { IconTerminal2 } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../../ui/button.tsx';
import { Code } from '../../../ui/code.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Icon } from '../../../ui/icon.tsx';

const example = `select ninefold.define_machine(
  entity  => 'public.tickets',
  field   => 'status',
  initial => 'new',
  transitions => '[
    {"name": "take",   "from": "new",  "to": "open",
     "roles": ["agent"], "sets": {"assignee": "auth.uid()"}},
    {"name": "close",  "from": "open", "to": "closed",
     "when": "assignee is not null", "requires": ["resolution"]},
    {"name": "reopen", "from": "closed", "to": "open"}
  ]');`;

/** Empty state of the page: describes how to create a machine. */
export function NoMachine({ appRef }: { appRef: string }) {
  return (
    <Empty title="No state machine yet">
      <p>
        A state machine defines which value of a field may follow another, and who may make the transition. PostgreSQL
        enforces the machine on every write and records each state change. Run this SQL to define one.
      </p>
      <Code code={example} language="sql" label="the SQL of a first machine" />
      <Link
        to="/app/$ref/sql"
        params={{ ref: appRef }}
        search={{ sql: example }}
        className={buttonClass({ kind: 'first' })}
      >
        <Icon of={IconTerminal2} />
        Open in SQL
      </Link>
    </Empty>
  );
}
