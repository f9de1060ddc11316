import { IconPlus } from '@tabler/icons-react';
import { Button } from '../../../../ui/button.tsx';
import { Code } from '../../../../ui/code.tsx';
import { Empty } from '../../../../ui/empty.tsx';

const uploadCode = `await supabase.storage.from('photos').upload('2026/cat.jpg', file)`;

/** Empty state of an app without buckets. */
export const NoBuckets = ({ onCreate }: { onCreate: () => void }) => (
  <Empty title="No buckets yet">
    <p>Files are in buckets. A bucket says whether its files are public, how large they may be, and of which types.</p>
    <p>
      <Button kind="first" icon={IconPlus} onClick={onCreate}>
        Create bucket
      </Button>
    </p>
    <p>Then drop files here, or upload them from the app:</p>
    <Code code={uploadCode} language="javascript" label="the upload in supabase-js" />
  </Empty>
);
