import type { RealtimeUsage } from '../../../../contract/realtime.ts';
import { Button } from '../../../ui/button.tsx';
import { Table, TableHead } from '../../../ui/table.tsx';
import styles from './realtime.module.css';

/** The topics with the most channels. A click opens the inspector with the topic. */
export function ChannelTable({
  usage: { topics, topic_count: count },
  onJoin,
}: {
  usage: RealtimeUsage;
  onJoin: (topic: string, isPrivate: boolean) => void;
}) {
  return (
    <section className={styles.section} id="channels">
      <h2>
        Channels <span>{count > topics.length ? `${topics.length} of ${count}, most sockets first` : count}</span>
      </h2>
      {topics.length === 0 ? (
        <p className="soft">Nobody has joined a channel. A channel appears here as soon as a client joins it.</p>
      ) : (
        <Table label="Channels">
          <TableHead names={['Channel', 'Kind', 'Sockets']} figures={['Sockets']} bare="Join" />
          <tbody>
            {topics.map(({ topic, private: isPrivate, channels }) => (
              <tr key={`${isPrivate} ${topic}`}>
                <td>
                  <code className={styles.topic}>{topic}</code>
                </td>
                <td className="soft">{isPrivate ? 'private' : 'public'}</td>
                <td className={styles.figure}>{channels.toLocaleString('en')}</td>
                <td className={styles.tool}>
                  <Button small kind="quiet" aria-label={`Join ${topic}`} onClick={() => onJoin(topic, isPrivate)}>
                    Join
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </section>
  );
}
