import { use } from 'react';
import { Refusal } from '../../queries/rest.ts';
import { ScreensContext } from '../../queries/screens.ts';
import styles from './page.module.css';
import { hintOf, isOfServer, troubleWords } from './trouble-words.ts';

/** Shows the error of a request: the app's message, what the member can do, and last the code for the app's team. */
export function Trouble({ error }: { error: Error | null }) {
  const all = use(ScreensContext);
  if (!error) return null;
  const words = troubleWords(error, (name) => all?.entities.find((one) => one.name === name)?.label ?? null);
  const hint = hintOf(error);
  return (
    <div className={styles.trouble} role="alert">
      <p>{words}</p>
      {hint !== null && hint !== words && <p>{hint}</p>}
      {error instanceof Refusal && error.code !== null && isOfServer(error.code) && (
        <small dir="ltr">{error.code}</small>
      )}
    </div>
  );
}
