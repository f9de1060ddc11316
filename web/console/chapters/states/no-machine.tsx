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
        enforces the machine on every write and records each state change. Run this SQL to define one.
      </p>
      <Code code={example} language="sql" label="the SQL of a first machine" />
      <SqlLink appRef={appRef} sql={example} kind="first" />
    </Empty>
  );
}
