import { t, tNodes } from '../../../language/messages.ts';
import styles from '../shared/page.module.css';

/** A field that stops a form from being saved, and why. */
export interface FieldProblem {
  readonly name: string;
  readonly label: string;
  readonly words: string;
}

/** Says at the top of a form why it was not saved. A press on the label of a field moves the focus to the field. */
export function FormProblems({
  problems,
  onField,
}: {
  problems: readonly FieldProblem[];
  onField: (name: string) => void;
}) {
  if (problems.length === 0) return null;
  return (
    <div className={styles.trouble} role="alert">
      <h2>{t('notSaved', { count: problems.length })}</h2>
      <ul>
        {problems.map(({ name, label, words }) => (
          <li key={name}>
            {tNodes('fieldWrong', {
              label: (
                <button type="button" className={styles.word} onClick={() => onField(name)}>
                  {label}
                </button>
              ),
              words,
            })}
          </li>
        ))}
      </ul>
    </div>
  );
}
