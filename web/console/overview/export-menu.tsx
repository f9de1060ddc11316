import { Menu } from '@mantine/core';
import { IconDownload, IconFileText, IconHistory } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { Button, buttonClass } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
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

/** Buttons for the specification as a whole: explain the app, save the specification as a file, share it, compare it. */
export function SpecificationActions({ appRef }: { appRef: string }) {
  const params = { ref: appRef };
  return (
    <div className={styles.actions}>
      <Link to="/app/$ref/one-page" params={params} className={buttonClass({ kind: 'first' })}>
        <Icon of={IconFileText} />
        Explain this app in one page
      </Link>
      <ExportMenu appRef={appRef} />
      <CopyButton
        text={() => new URL(`/app/${encodeURIComponent(appRef)}/one-page`, location.origin).href}
        what="the link to the page that explains the app"
        word="Copy link"
      />
      <Link to="/app/$ref/changes" params={params} className={buttonClass({ kind: 'quiet' })}>
        <Icon of={IconHistory} />
        Compare versions
      </Link>
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
