import { IconAlertCircle, IconCheck, IconPlayerPause, IconX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Upload, UploadQueue } from '../../../../files/upload-queue.ts';
import { Button } from '../../../../ui/button.tsx';
import { classNames } from '../../../../ui/class-names.ts';
import { Icon } from '../../../../ui/icon.tsx';
import { pushClass, wideOnlyClass } from '../../../../ui/workbench.tsx';
import { counted } from '../../../format/format.ts';
import { failureFacts } from '../../../queries/api-failure.ts';
import { useQueue } from './app-uploads.ts';
import { progressWords, queueWords, trayTitle } from './upload-words.ts';
import styles from './uploads.module.css';

/** Number of uploads that the tray lists. Those that need the reader come first. */
const LISTED = 30;

/** List of the uploads of an app with their progress. Shows nothing without uploads. */
export function UploadTray({ appRef }: { appRef: string }) {
  const { queue, uploads } = useQueue(appRef);
  if (uploads.length === 0) return null;
  const isActive = uploads.some(({ state }) => state === 'running' || state === 'waiting');
  const isPaused = uploads.some(({ state }) => state === 'paused');
  const ranks: readonly Upload['state'][] = ['failed', 'lost', 'running', 'paused', 'waiting', 'done'];
  const listed = uploads.toSorted((a, b) => ranks.indexOf(a.state) - ranks.indexOf(b.state)).slice(0, LISTED);
  return (
    <section className={styles.tray} aria-label="Uploads">
      <header>
        <b>{trayTitle(uploads.length)}</b>
        <span className={classNames('soft cut', wideOnlyClass)} role="status">
          {queueWords(uploads)}
        </span>
        <span className={pushClass}>
          {isActive && (
            <Button small kind="quiet" onClick={() => queue.pauseAll()}>
              Pause all
            </Button>
          )}
          {!isActive && isPaused && (
            <Button small kind="quiet" onClick={() => queue.resumeAll()}>
              Resume all
            </Button>
          )}
          {!isActive && !isPaused && (
            <Button small kind="quiet" square icon={IconX} label="Close the uploads" onClick={() => queue.clear()} />
          )}
        </span>
      </header>
      <ul>
        {listed.map((upload) => (
          <Line key={upload.id} appRef={appRef} upload={upload} queue={queue} />
        ))}
      </ul>
      {uploads.length > LISTED && <p className="soft">and {counted(uploads.length - LISTED, 'more', 'more')}</p>}
    </section>
  );
}

function Line({ appRef, upload, queue }: { appRef: string; upload: Upload; queue: UploadQueue }) {
  const { id, path, bucket, file, state, sent, error } = upload;
  const facts = error && state === 'failed' ? failureFacts(error) : null;
  const name = path.split('/').at(-1) ?? path;
  return (
    <li className={styles.line} data-state={state}>
      <span className="cut" title={`${bucket}/${path}`}>
        {name}
      </span>
      {facts ? (
        <span className={styles.refused} title={facts.action ?? undefined}>
          <Icon of={IconAlertCircle} small />{' '}
          <span className="cut">
            {facts.code === 'KeyAlreadyExists' ? 'A file with this name exists' : facts.message}
          </span>
          {facts.code === 'EntityTooLarge' && (
            <Link to="/app/$ref/limits" params={{ ref: appRef }} search={{ limit: 'storageFileBytes' }}>
              Limit
            </Link>
          )}
        </span>
      ) : (
        <span className={styles.progress}>
          {state === 'done' ? (
            <Icon of={IconCheck} small />
          ) : (
            <progress
              className={styles.bar}
              aria-label={`Progress of ${name}`}
              value={sent}
              max={Math.max(1, file.size)}
            />
          )}
          <span className="cut">{progressWords(upload)}</span>
        </span>
      )}
      <span className={styles.verbs}>
        {state === 'running' && (
          <Button
            small
            kind="quiet"
            square
            icon={IconPlayerPause}
            label={`Pause ${name}`}
            onClick={() => queue.pause(id)}
          />
        )}
        {(state === 'paused' || state === 'lost') && (
          <Button small aria-label={`Resume ${name}`} onClick={() => queue.resume(id)}>
            Resume
          </Button>
        )}
        {facts?.code === 'KeyAlreadyExists' && (
          <Button small aria-label={`Replace ${name}`} onClick={() => queue.replace(id)}>
            Replace
          </Button>
        )}
        {facts && facts.code !== 'KeyAlreadyExists' && (
          <Button small aria-label={`Try ${name} again`} onClick={() => queue.resume(id)}>
            Try again
          </Button>
        )}
        <Button
          small
          kind="quiet"
          square
          icon={IconX}
          label={state === 'done' || state === 'failed' ? `Dismiss ${name}` : `Cancel ${name}`}
          onClick={() => queue.remove(id)}
        />
      </span>
    </li>
  );
}
