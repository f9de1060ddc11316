import { Menu } from '@mantine/core';
import { IconDownload, IconFileText, IconHistory, IconShare } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { Button, buttonClass } from '../../ui/button.tsx';
import { FailureNote } from '../../ui/failure.tsx';
import { Icon } from '../../ui/icon.tsx';
import { failureFacts } from '../queries/api-failure.ts';
import {
  type ExportExtent,
  type ExportFormat,
  exportFormats,
  exportSpecification,
} from '../queries/specification-export.ts';
import styles from './export-menu.module.css';
import { ShareDialog } from './share/share-dialog.tsx';

/** Buttons for the specification as a whole: explain the app, save the specification as a file, share it, compare it. */
export function SpecificationActions({ appRef }: { appRef: string }) {
  const params = { ref: appRef };
  const [isSharing, setSharing] = useState(false);
  return (
    <div className={styles.actions}>
      <Link to="/app/$ref/one-page" params={params} className={buttonClass({ kind: 'first' })}>
        <Icon of={IconFileText} />
        Explain this app in one page
      </Link>
      <ExportMenu appRef={appRef} />
      <Button icon={IconShare} onClick={() => setSharing(true)}>
        Share
      </Button>
      <Link to="/app/$ref/changes" params={params} className={buttonClass({ kind: 'quiet' })}>
        <Icon of={IconHistory} />
        Compare versions
      </Link>
      {isSharing && <ShareDialog appRef={appRef} onClose={() => setSharing(false)} />}
    </div>
  );
}

const extents = [
  ['complete', 'Complete specification'],
  ['one-page', 'One page'],
] as const satisfies readonly (readonly [ExportExtent, string])[];

/** Saves the complete specification, or the page that explains the app, in a chosen format. */
export function ExportMenu({ appRef }: { appRef: string }) {
  const { mutate, isPending, error } = useMutation(exportSpecification(appRef));
  return (
    <>
      <Menu position="bottom-start">
        <Menu.Target>
          <Button icon={IconDownload} busy={isPending && 'Exporting'}>
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {extents.map(([extent, words]) => (
            <Fragment key={extent}>
              <Menu.Label>{words}</Menu.Label>
              {(Object.keys(exportFormats) as ExportFormat[]).map((format) => (
                <Menu.Item
                  key={format}
                  aria-label={`${words} as ${exportFormats[format].name}`}
                  onClick={() => mutate({ extent, format })}
                >
                  {exportFormats[format].name}
                </Menu.Item>
              ))}
            </Fragment>
          ))}
        </Menu.Dropdown>
      </Menu>
      {error && <FailureNote facts={failureFacts(error)} />}
    </>
  );
}
