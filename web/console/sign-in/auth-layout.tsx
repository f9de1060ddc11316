import { PasswordInput } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { chapters } from '../../../contract/chapters.ts';
import { passwordLimits } from '../../../contract/limits/passwords.ts';
import { Mark } from '../../ui/mark.tsx';
import { Form, type FormProps } from '../forms/form.tsx';
import styles from './sign-in.module.css';

/** Layout of a page before sign-in: the form on the left, a description of Ninefold on the right. */
export function AuthLayout({
  title,
  right = <Questions />,
  children,
}: {
  /** Name of the page in the browser's tab. */
  title: string;
  right?: ReactNode;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Ninefold`;
  }, [title]);
  return (
    <div className={styles.cover}>
      <div className={styles.left}>
        <header className={styles.brand}>
          <Mark />
          <b>Ninefold</b>
        </header>
        <main className={styles.main}>{children}</main>
        <footer className={styles.foot}>
          <span>{location.host}</span>
        </footer>
      </div>
      <aside className={styles.right}>{right}</aside>
    </div>
  );
}

/** CSS class for the content of a page before sign-in, if the content is not a form. */
export const coverForm = styles.form;
export const coverTitle = styles.title;

/** Field for the new password of a builder. */
export function NewPasswordField({
  value,
  onChange,
  ...field
}: {
  value: string;
  description?: ReactNode;
  autoFocus?: boolean;
  onChange: (value: string) => void;
}) {
  const min = passwordLimits.builderPasswordMinCharacters.default;
  return (
    <PasswordInput
      label="Password"
      name="password"
      autoComplete="new-password"
      required
      minLength={min}
      description={`At least ${min} characters`}
      {...field}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Form on a page that is shown before sign-in. */
export function CoverForm(props: Omit<FormProps, 'className' | 'wide'>) {
  return <Form {...props} className={styles.form} wide />;
}

/** Returns the secret of a link, `…#token=…`. Browsers never send the part after # to a server. */
export const secretOfLink = (): string => new URLSearchParams(location.hash.slice(1)).get('token') ?? '';

/** The nine questions that every app answers. */
function Questions() {
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
