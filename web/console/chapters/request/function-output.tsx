import { useQuery } from '@tanstack/react-query';
import { Code } from '../../../ui/code.tsx';
import { Figure } from '../../../ui/figure.tsx';
import { timeOfDay } from '../../format/format.ts';
import { outputOfRequest } from '../../queries/functions.ts';
import styles from './request.module.css';

/** Shows what an edge function wrote while it answered the request. Builders who may not read output get no lines. */
export function FunctionOutputOfRequest({
  appRef,
  requestId,
  number,
}: {
  appRef: string;
  requestId: string;
  /** The number of the figure. */
  number: string;
}) {
  const { data, isLoading, isError } = useQuery(outputOfRequest(appRef, requestId));
  if (isLoading || isError) return null;
  const text = (data ?? [])
    .map(({ at, level, message }) => `${timeOfDay(at)}  ${level.padEnd(5)}  ${message}`)
    .join('\n');
  return (
    <Figure number={number} caption="Output of the function">
      {text === '' ? (
        <p className={styles.remark}>None. Lines of console.log appear here, as long as they are stored.</p>
      ) : (
        <Code code={text} language="text" label="the output" wrap />
      )}
    </Figure>
  );
}
