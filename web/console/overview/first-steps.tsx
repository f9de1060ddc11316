import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icon.tsx';
import { SqlLink } from '../layout/sql-link.tsx';
import { firstTable } from './first-table.ts';

/** First steps with a form or with SQL. */
export function FirstTable({ appRef }: { appRef: string }) {
  const params = { ref: appRef };
  return (
    <Empty title="Create a table">
      <p>With a form: fields, rules and who may do what, in sentences.</p>
      <Link to="/app/$ref/data" params={params} search={{ design: 'new' }} className={buttonClass({ kind: 'first' })}>
        <Icon of={IconPlus} />
        New table
      </Link>
      <p>Or in SQL. Chapter 3 shows the comment as the description.</p>
      <Code code={firstTable} language="sql" label="the SQL of a first table" />
      <SqlLink appRef={appRef} sql={firstTable} small={false} />
    </Empty>
  );
}

/** Describes the first steps of an app that has existing migrations. */
export function FirstMigrations({ appRef }: { appRef: string }) {
  return (
    <Empty title="Apply migrations">
      <p>
        Plain SQL files in order, once, each in a transaction. A folder <code>supabase/migrations</code> works as it is.
      </p>
      <Code
        code={`$ node bin/ninefold.js migrate ${appRef} \\\n    ./supabase/migrations`}
        language="shell"
        label="the command"
      />
    </Empty>
  );
}
