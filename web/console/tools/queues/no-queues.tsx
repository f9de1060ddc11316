import { IconPlus } from '@tabler/icons-react';
import { Button } from '../../../ui/button.tsx';
import { Code } from '../../../ui/code.tsx';
import { Empty } from '../../../ui/empty.tsx';

const createSql = `select pgmq.create('mails');
select pgmq.send('mails', '{"to": "ada@example.com"}');`;
const readSql = "select * from pgmq.read('mails', vt => 30, qty => 10);";

/** Empty state of an app without queues. */
export const NoQueues = ({ installed, onCreate }: { installed: boolean; onCreate: () => void }) =>
  installed ? (
    <Empty title="No queues yet">
      <p>
        A queue holds messages until a reader deletes or archives them. A message that was read is hidden for a time,
        and then the next reader gets it.
      </p>
      <p>
        <Button kind="first" icon={IconPlus} onClick={onCreate}>
          Create queue
        </Button>
      </p>
      <p>Or create it with SQL, for example in a migration, and send a message:</p>
      <Code code={createSql} language="sql" label="the SQL that creates a queue" />
      <p>A worker reads ten messages and has 30 seconds for them:</p>
      <Code code={readSql} language="sql" label="the SQL that reads messages" />
    </Empty>
  ) : (
    <Empty title="This database has no queues">
      <p>
        It has no schema <code>pgmq</code>. Databases that Ninefold creates have it. On a database that existed before,
        install the extension pgmq.
      </p>
    </Empty>
  );
