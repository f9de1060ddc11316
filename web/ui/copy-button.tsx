import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { t } from '../language/messages.ts';
import { Button } from './button.tsx';
import styles from './copy-button.module.css';

/** Text set as code, with a button that copies it. */
export function CopiedCode({ text, what }: { text: string; what: string }) {
  return (
    <span className={styles.copied}>
      <code className="cut">{text}</code>
      <CopyButton text={text} what={what} />
    </span>
  );
}

/** Copies a string. After that, it announces the copy to screen readers and shows a tick for two seconds. */
export function CopyButton({
  text,
  what,
  word = false,
}: {
  /** The string, or a function that creates it if this takes time. */
  text: string | (() => string);
  /** Describes what is copied, for example "the policy". */
  what: string;
  /** The word beside the icon: true for "Copy", or another word. Without it, the button has only an icon. */
  word?: boolean | string;
}) {
  const [outcome, setOutcome] = useState<'copied' | 'refused' | null>(null);

  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(null), 2000);
    return () => clearTimeout(timer);
  }, [outcome]);

  const copy = () => {
    navigator.clipboard.writeText(typeof text === 'string' ? text : text()).then(
      () => setOutcome('copied'),
      () => setOutcome('refused'),
    );
  };
  const said = outcome === 'copied' ? t('copiedWhat', { what }) : outcome === 'refused' ? t('copyRefused') : '';
  return (
    <>
      <Button
        kind="quiet"
        small
        square={!word}
        icon={outcome === 'copied' ? IconCheck : IconCopy}
        label={outcome ? said : t('copyWhat', { what })}
        onClick={copy}
      >
        {word ? (outcome === 'copied' ? t('copied') : word === true ? t('copy') : word) : null}
      </Button>
      <span role="status" className="sr">
        {said}
      </span>
    </>
  );
}
