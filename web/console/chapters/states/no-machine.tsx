import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../../ui/button.tsx';
import { Code } from '../../../ui/code.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { SqlLink } from '../../layout/sql-link.tsx';

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
        enforces the machine on every write and records each state change. Draw one, or run this SQL.
      </p>
      <Link
        to="/app/$ref/states"
        params={{ ref: appRef }}
        search={{ edit: 'new' }}
        className={buttonClass({ kind: 'first' })}
      >
        Draw a machine
      </Link>
      <Code code={example} language="sql" label="the SQL of a first machine" />
      <SqlLink appRef={appRef} sql={example} />
    </Empty>
  );
}
