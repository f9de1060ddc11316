import { classNames } from '../../../../ui/class-names.ts';
import styles from '../realtime.module.css';
import type { Frame } from './use-channel.ts';

/** Lists the messages that the inspector sent and received, newest first. */
export function FrameList({ frames }: { frames: readonly Frame[] }) {
  if (frames.length === 0) return null;
  return (
    <section className={styles.section}>
      <h2>
        Messages <span>newest first</span>
      </h2>
      <ul className={styles.frames} aria-label="Messages of the channel">
        {frames.map(({ id, at, title, detail, isSent, isRefusal }) => (
          <li key={id}>
            <time dateTime={at.toISOString()}>{at.toLocaleTimeString('en-GB')}</time>
            <span aria-hidden="true">{isSent ? '↑' : '↓'}</span>
            <div>
              <b className={classNames(isRefusal && styles.refused)}>
                <span className="sr">{isSent ? 'sent: ' : 'received: '}</span>
                {title}
              </b>
              <pre>{detail}</pre>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
