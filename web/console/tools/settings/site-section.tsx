import { useMutation, useQuery } from '@tanstack/react-query';
import type { SiteVersion } from '../../../../contract/site.ts';
import { Button } from '../../../ui/button.tsx';
import { Code } from '../../../ui/code.tsx';
import { Dot } from '../../../ui/dot.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { ScrollFrame } from '../../../ui/scroll-frame.tsx';
import { Skeleton, Table } from '../../../ui/table.tsx';
import { bytes, count } from '../../format/format.ts';
import { TimeAgo } from '../../format/time-ago.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { serveVersion, siteState } from '../../queries/site.ts';
import styles from './settings.module.css';
import { SettingsSection } from './settings-frame.tsx';

/**
 * Section with the published versions of the app's own front end. A builder serves an earlier version again, or the
 * pages for members.
 */
export function SiteSection({ appRef }: { appRef: string }) {
  const { data, error } = useQuery(siteState(appRef));
  const { mutate, isPending, variables, error: refused } = useMutation(serveVersion(appRef));
  const active = data?.versions.find(({ is_active }) => is_active);
  return (
    <SettingsSection
      id="site"
      title="Site"
      aside={data && (active ? `version ${active.number} of your own front end` : 'the pages for members')}
      tools={
        active && (
          <Button small busy={isPending && variables === null && 'Changing'} onClick={() => mutate(null)}>
            Serve the pages for members
          </Button>
        )
      }
    >
      {error && !data && <FailureNote facts={failureFacts(error)} />}
      {refused && <FailureNote facts={failureFacts(refused)} />}
      {!data && !error && <Skeleton width={240} />}
      {data && data.versions.length > 0 && (
        <ScrollFrame>
          <Versions versions={data.versions} serving={isPending ? (variables ?? null) : null} onServe={mutate} />
        </ScrollFrame>
      )}
      {data && (
        <div className={styles.command}>
          <p>
            {data.versions.length === 0
              ? 'Publish a static build of your own front end at the app’s address:'
              : 'Publish the next version:'}
          </p>
          <Code code={`node bin/ninefold.js site ${appRef} dist`} language="shell" label="the command" />
        </div>
      )}
    </SettingsSection>
  );
}

function Versions({
  versions,
  serving,
  onServe,
}: {
  versions: readonly SiteVersion[];
  /** Id of the version that is about to be served. */
  serving: string | null;
  onServe: (id: string) => void;
}) {
  return (
    <Table label="Published versions">
      <thead>
        <tr>
          <th scope="col">Version</th>
          <th scope="col">Published</th>
          <th scope="col">By</th>
          <th scope="col" className="num">
            Files
          </th>
          <th scope="col" className="num">
            Size
          </th>
          <th scope="col">
            <span className="sr">Change</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {versions.map(({ id, number, created_at, created_by, files, bytes: size, is_active }) => (
          <tr key={id}>
            <td>{number}</td>
            <td>
              <TimeAgo iso={created_at} />
            </td>
            <td>{created_by}</td>
            <td className="num">{count(files)}</td>
            <td className="num">{bytes(size)}</td>
            <td className="num">
              {is_active ? (
                <>
                  <Dot /> served
                </>
              ) : (
                <Button
                  small
                  kind="quiet"
                  aria-label={`Serve version ${number}`}
                  busy={serving === id && 'Changing'}
                  onClick={() => onServe(id)}
                >
                  Serve
                </Button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
