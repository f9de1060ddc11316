import { Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { cellCondition } from '../../../../../contract/cell-condition.ts';
import type { FileDetails } from '../../../../../contract/files.ts';
import { fileKind } from '../../../../files/file-kind.ts';
import { Button } from '../../../../ui/button.tsx';
import { CopiedCode } from '../../../../ui/copy-button.tsx';
import { KeyValues, type Pair, Panel, PanelSection, type PanelSteps } from '../../../../ui/panel.tsx';
import { Tag } from '../../../../ui/tag.tsx';
import { VerdictMark } from '../../../../ui/verdict.tsx';
import { bytes, counted, dateTime } from '../../../format/format.ts';
import { QueryFailure } from '../../../layout/query-failure.tsx';
import type { Bucket } from '../../../queries/files/buckets.ts';
import { type Entry, objectInfo, type StoredObject } from '../../../queries/files/objects.ts';
import { fileAccess } from '../../../queries/files/usage.ts';
import styles from '../files.module.css';
import { lastPart } from '../listing/object-table.tsx';
import type { EntriesDialog } from './entries-dialogs.tsx';
import { LinksSection } from './links-section.tsx';
import { Preview } from './preview.tsx';

/** Panel of an object: its preview, links, and what is stored about it. */
export function ObjectPanel({
  appRef,
  bucket,
  name,
  listed,
  onDialog,
  ...steps
}: {
  appRef: string;
  bucket: Bucket;
  name: string;
  /** The object as the listing has it; null if the listing has not loaded it. */
  listed: StoredObject | null;
  onDialog: (dialog: EntriesDialog) => void;
} & PanelSteps) {
  const info = useQuery(objectInfo(appRef, bucket.id, name));
  const object = info.data ?? listed;
  const dialog = (verb: EntriesDialog['verb']) => () => {
    if (!object) return;
    const entry: Entry = { kind: 'object', id: name, name, object };
    onDialog({ verb, entries: [entry] });
  };
  return (
    <Panel
      label={lastPart(name)}
      title={<b>{lastPart(name)}</b>}
      tools={
        <Menu position="bottom-end">
          <Menu.Target>
            <Button kind="quiet" small square icon={IconDots} label="More" />
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={dialog('move')}>Move or rename</Menu.Item>
            <Menu.Item onClick={dialog('copy')}>Copy</Menu.Item>
            <Menu.Item onClick={dialog('delete')}>Delete</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      }
      {...steps}
    >
      <QueryFailure query={info} />
      {object && (
        <>
          <Preview appRef={appRef} bucket={bucket.id} object={object} />
          <PanelSection
            title="Who may read it"
            aside={
              <Link to="/app/$ref/files" params={{ ref: appRef }} search={{ view: 'policies', bucket: bucket.id }}>
                Access
              </Link>
            }
          >
            <Readers appRef={appRef} bucket={bucket} />
          </PanelSection>
          <LinksSection appRef={appRef} bucket={bucket} name={name} />
          <PanelSection title="Details">
            <KeyValues
              pairs={[
                ['Kind', fileKind(object.type)],
                ['Type', <code key="type">{object.type}</code>],
                ['Size', `${bytes(object.size)}${object.size >= 1024 ? ` (${counted(object.size, 'byte')})` : ''}`],
                ['Added', dateTime(object.created_at)],
                object.updated_at !== object.created_at && ['Changed', dateTime(object.updated_at)],
                ['Cache', object.cacheControl ?? 'no header'],
                ...(info.data ? detailPairs(appRef, info.data.details) : []),
              ]}
            />
          </PanelSection>
        </>
      )}
    </Panel>
  );
}

/** Says who may read the files of the bucket: each role with its condition. */
function Readers({ appRef, bucket: { id, public: isPublic } }: { appRef: string; bucket: Bucket }) {
  const { data } = useQuery(fileAccess(appRef));
  const cells = data?.filter(({ entity, operation }) => entity === id && operation === 'select') ?? [];
  return (
    <>
      <p className={styles.verdict}>
        {isPublic
          ? 'Everybody who has its address, because the bucket is public.'
          : 'Who has a signed link, and callers whom a policy lets read it.'}
      </p>
      <ul className={styles.readers}>
        {cells.map(({ role, verdict, words }) => (
          <li key={role}>
            <VerdictMark of={verdict} />
            <code>{role}</code>
            <span className="soft">{verdict === 'when' ? cellCondition(words) : verdict}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Returns what only a builder sees about an object. */
function detailPairs(ref: string, details: FileDetails): Pair[] {
  const { id, user_metadata, version, content } = details;
  return [
    ['Owner', <Owner key="owner" appRef={ref} details={details} />],
    ['Content', <Content key="content" content={content} />],
    content?.quarantined_at && ['Quarantine', <Tag key="quarantine">since {dateTime(content.quarantined_at)}</Tag>],
    ['Version', version === null ? 'none' : <CopiedCode key="version" text={version} what="the version" />],
    ['Id', <CopiedCode key="id" text={id} what="the id" />],
    ...Object.entries(user_metadata ?? {}).map(
      ([key, value]): Pair => [key, typeof value === 'string' ? value : JSON.stringify(value)],
    ),
  ];
}

const Owner = ({ appRef, details: { owner_id, owner_email } }: { appRef: string; details: FileDetails }) =>
  owner_id === null ? (
    <span className="soft">no member</span>
  ) : (
    <Link to="/app/$ref/users" params={{ ref: appRef }} search={{ user: owner_id }}>
      {owner_email ?? owner_id}
    </Link>
  );

/** The hash of the bytes, and the number of objects that have the same bytes. */
const Content = ({ content }: { content: FileDetails['content'] }) =>
  content ? (
    <>
      <CopiedCode text={content.sha256} what="the SHA-256 of the content" />
      {content.objects > 1 && <span className="soft">{counted(content.objects, 'object')} with this content</span>}
    </>
  ) : (
    <span className={styles.bad}>The node has no bytes for this object.</span>
  );
