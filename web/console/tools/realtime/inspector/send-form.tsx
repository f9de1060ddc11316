import { Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Button } from '../../../../ui/button.tsx';
import styles from '../realtime.module.css';

/** Form that sends a broadcast with an event and a JSON object. */
export function SendForm({ onSend }: { onSend: (event: string, payload: unknown) => void }) {
  const [name, setName] = useState('greeting');
  const [text, setText] = useState('{"text": "hello"}');
  const [error, setError] = useState<string | null>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const payload = objectOf(text);
    setError(payload === null ? 'Write a JSON object, such as {"text": "hello"}.' : null);
    if (payload !== null) onSend(name, payload);
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <div className={styles.pair}>
        <TextInput label="Event" value={name} onChange={(event) => setName(event.currentTarget.value)} required />
        <Button type="submit">Send broadcast</Button>
      </div>
      <Textarea
        label="Payload"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={error}
        autosize
        spellCheck={false}
      />
    </form>
  );
}

function objectOf(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
