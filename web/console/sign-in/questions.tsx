import { chapters } from '../../../contract/chapters.ts';
import styles from './sign-in.module.css';

/** The nine questions that every app answers. */
export function Questions() {
  return (
    <>
      <ol className={styles.questions}>
        {chapters.map(({ number, name, question }) => (
          <li key={number}>
            <span className={styles.number}>{number}</span>
            <span className={styles.name}>{name}</span>
            <span className={styles.question}>{question}</span>
          </li>
        ))}
      </ol>
      <p className={styles.words}>
        Every app on this node answers these nine questions, at any moment, from the running system.
      </p>
    </>
  );
}
