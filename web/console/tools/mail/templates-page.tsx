import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { type MailTemplate, mailKinds, mailLanguages } from '../../../../contract/mails.ts';
import { Button } from '../../../ui/button.tsx';
import { Failure, FailureNote } from '../../../ui/failure.tsx';
import { Sheet, SheetFoot } from '../../../ui/sheet.tsx';
import { Form } from '../../forms/form.tsx';
import { Page } from '../../layout/page.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { mailPreview, mailTemplates } from '../../queries/mails.ts';
import { changeSettings } from '../../queries/settings.ts';
import styles from './mail.module.css';
import { MailFrame } from './mail-frame.tsx';
import { isMailKind, kindWords } from './mail-words.ts';

const languageWords = { en: 'English', de: 'German', ar: 'Arabic' } as const;

/** Editor of the mail templates with a preview. */
export function TemplatesPage({ appRef, tabs }: { appRef: string; tabs: ReactNode }) {
  const { kind: named, language: tag = 'en' } = useSearch({ from: '/signed-in/app/$ref/mail' });
  const navigate = useNavigate({ from: '/app/$ref/mail' });
  const kind = isMailKind(named) ? named : 'confirmation';
  const language = mailLanguages.find((known) => known === tag) ?? 'en';
  const { data, error, refetch, isFetching, isLoading } = useQuery(mailTemplates(appRef));
  const template = data?.find((one) => one.kind === kind);
  return (
    <Page bare appRef={appRef} crumbs={[{ text: 'Mail' }, { text: 'Templates' }]} fetching={isLoading}>
      <Sheet
        title="Mail"
        filters={
          <>
            {tabs}
            <NativeSelect
              aria-label="Template"
              value={kind}
              data={mailKinds.map((value) => ({ value, label: kindWords(value) }))}
              onChange={({ currentTarget: { value } }) =>
                void navigate({ search: (before) => ({ ...before, kind: value }), replace: true })
              }
            />
            <NativeSelect
              aria-label="Language"
              value={language}
              data={mailLanguages.map((value) => ({ value, label: languageWords[value] }))}
              onChange={({ currentTarget: { value } }) =>
                void navigate({ search: (before) => ({ ...before, language: value }), replace: true })
              }
            />
          </>
        }
        notice={error && <Failure facts={failureFacts(error)} onRetry={() => void refetch()} busy={isFetching} />}
        foot={<SheetFoot shown={`${mailKinds.length} templates`} remark="The plain text is generated from the HTML" />}
      >
        {template && <Editor key={`${kind} ${language}`} appRef={appRef} template={template} language={language} />}
      </Sheet>
    </Page>
  );
}

type Language = keyof MailTemplate['standard'];

function Editor({ appRef, template, language }: { appRef: string; template: MailTemplate; language: Language }) {
  const standard = template.standard[language];
  const stored = {
    subject: template.subjects[language] ?? template.subjects['*'] ?? standard.subject,
    body: template.bodies[language] ?? template.bodies['*'] ?? standard.body,
  };
  const [subject, setSubject] = useState(stored.subject);
  const [body, setBody] = useState(stored.body);
  const { mutate, isPending, error } = useMutation(changeSettings(appRef));
  const isChanged = subject !== stored.subject || body !== stored.body;
  const isOwn = [template.subjects, template.bodies].some((texts) => language in texts || '*' in texts);

  const save = () =>
    mutate({
      ...(subject !== stored.subject && { [template.subject_key]: withText(template.subjects, language, subject) }),
      ...(body !== stored.body && { [template.body_key]: withText(template.bodies, language, body) }),
    });
  const reset = () =>
    mutate(
      {
        [template.subject_key]: withText(template.subjects, language, null),
        [template.body_key]: withText(template.bodies, language, null),
      },
      {
        onSuccess: () => {
          setSubject(standard.subject);
          setBody(standard.body);
        },
      },
    );
  return (
    <div className={styles.work}>
      <Form
        className={styles.form}
        verb={['Save', 'Saving']}
        pending={isPending}
        offBecause={isChanged ? null : 'Nothing is changed.'}
        error={error}
        aside={
          <Button kind="quiet" offBecause={isOwn ? null : 'This is the standard text.'} onClick={reset}>
            Use the standard text
          </Button>
        }
        onSubmit={save}
      >
        <TextInput
          label="Subject"
          autoComplete="off"
          value={subject}
          onChange={({ currentTarget }) => setSubject(currentTarget.value)}
        />
        <Textarea
          className={styles.source ?? ''}
          label="HTML"
          rows={18}
          spellCheck={false}
          value={body}
          onChange={({ currentTarget }) => setBody(currentTarget.value)}
        />
        <p className={styles.variables}>
          Variables: {template.variables.map((name) => `{{ ${name} }}`).join(', ')}. Conditions:{' '}
          {'{{ if .Data.name }} … {{ else }} … {{ end }}'}.
        </p>
      </Form>
      <Preview appRef={appRef} kind={template.kind} language={language} subject={subject} body={body} />
    </div>
  );
}

function Preview({
  appRef,
  ...request
}: {
  appRef: string;
  kind: MailTemplate['kind'];
  language: Language;
  subject: string;
  body: string;
}) {
  const { data, error } = useQuery(mailPreview(appRef, useDeferredValue(request)));
  return (
    <section className={styles.form}>
      <h2 className={styles.heading}>Preview</h2>
      {data && <p className={styles.subject}>{data.subject}</p>}
      {error && <FailureNote facts={failureFacts(error)} />}
      <p role="status" className={styles.variables}>
        {data?.template_error && `The template is broken, so the standard text is used: ${data.template_error}`}
      </p>
      {data && <MailFrame title={`Preview: ${data.subject}`} html={data.html} />}
    </section>
  );
}

/**
 * Returns the value of the setting with a changed text for one language; null removes the text. The texts of other
 * languages stay unchanged. Returns undefined if no text is left.
 */
function withText(texts: Readonly<Record<string, string>>, language: string, text: string | null): unknown {
  const removed = text === null ? [language, '*'] : [language];
  const others = Object.entries(texts).filter(([tag]) => !removed.includes(tag));
  const changed = text === null ? others : [...others, [language, text]];
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}
