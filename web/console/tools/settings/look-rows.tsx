import { TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { LookPreview } from '../../../ui/look-preview.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { type Look, look, setLook } from '../../queries/look.ts';
import styles from './settings.module.css';

/** Maximum number of characters of a logo, which the constraint app_logo of ninefold.app also enforces. */
const LOGO_CHARACTERS = 100_000;

const isColour = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);

/** Rows for the accent colour and the logo, with a preview of the look before it is saved. */
export function LookRows({ appRef, name }: { appRef: string; name: string }) {
  const { data, error } = useQuery(look(appRef));
  const saving = useMutation(setLook(appRef));
  const [draft, setDraft] = useState<Look | null>(null);
  const [typed, setTyped] = useState<string | null>(null);
  const [tooLarge, setTooLarge] = useState(false);
  if (error) return <FailureNote facts={failureFacts(error)} />;
  if (!data) return null;
  const shown = draft ?? data;
  const colour = typed ?? shown.accent ?? '';
  const isValid = colour === '' || isColour(colour);
  const isChanged = draft !== null && (draft.accent !== data.accent || draft.logo !== data.logo);
  const change = (next: Partial<Look>) => setDraft({ ...shown, ...next });
  const readLogo = async (file: File | undefined) => {
    if (!file) return;
    const address = await dataAddress(file);
    setTooLarge(address.length > LOGO_CHARACTERS);
    if (address.length <= LOGO_CHARACTERS) change({ logo: address });
  };
  return (
    <>
      <ColourRow
        {...{ accent: shown.accent, colour, isValid }}
        onTyped={setTyped}
        onChange={(accent) => change({ accent })}
      />
      <LogoRow logo={shown.logo} tooLarge={tooLarge} onFile={readLogo} onRemove={() => change({ logo: null })} />
      <div className={styles.row}>
        <div>
          <b>Preview</b>
          <p>{isChanged ? 'Not saved.' : 'Members see this look.'}</p>
          {saving.error && <FailureNote facts={failureFacts(saving.error)} />}
          {isChanged && (
            <div className={styles.unit}>
              <Button
                kind="first"
                small
                busy={saving.isPending && 'Saving'}
                offBecause={isValid ? null : 'The colour is not valid.'}
                onClick={() => saving.mutate(draft, { onSuccess: () => setDraft(null) })}
              >
                Save look
              </Button>
              <Button
                small
                kind="quiet"
                onClick={() => {
                  setDraft(null);
                  setTyped(null);
                }}
              >
                Discard
              </Button>
            </div>
          )}
        </div>
        <LookPreview name={name} accent={shown.accent} logo={shown.logo} />
      </div>
    </>
  );
}

/** Row of the accent colour: a colour picker, and a field for the hexadecimal digits. */
function ColourRow({
  accent,
  colour,
  isValid,
  onTyped,
  onChange,
}: {
  accent: string | null;
  /** Text of the field for the digits. */
  colour: string;
  isValid: boolean;
  onTyped: (text: string | null) => void;
  onChange: (accent: string | null) => void;
}) {
  return (
    <div className={styles.row}>
      <div>
        <b>Accent colour</b>
        <p>
          The pages take its hue, in a lightness that keeps texts readable in the light and the dark theme. Grey has no
          hue.
        </p>
        {!isValid && <p className={styles.wrong}>A colour has six digits, as in #1f6feb.</p>}
      </div>
      <div className={styles.unit}>
        <input
          type="color"
          aria-label="Colour picker"
          value={accent ?? '#1f7a55'}
          onChange={({ currentTarget }) => {
            onTyped(null);
            onChange(currentTarget.value);
          }}
        />
        <TextInput
          aria-label="Accent colour"
          placeholder="#1f6feb"
          value={colour}
          error={!isValid}
          onChange={({ currentTarget }) => {
            const text = currentTarget.value.trim().toLowerCase();
            onTyped(text);
            if (text === '' || isColour(text)) onChange(text || null);
          }}
        />
      </div>
    </div>
  );
}

/** Row of the logo: a file, and a button that removes the logo. */
function LogoRow({
  logo,
  tooLarge,
  onFile,
  onRemove,
}: {
  logo: string | null;
  tooLarge: boolean;
  onFile: (file: File | undefined) => Promise<void>;
  onRemove: () => void;
}) {
  const id = useId();
  return (
    <div className={styles.row}>
      <div>
        <label htmlFor={id}>
          <b>Logo</b>
        </label>
        <p>
          A PNG, JPEG, WebP or SVG picture of up to 70 KB. Without a logo, the pages show the first letter of the name.
        </p>
        {tooLarge && <p className={styles.wrong}>The picture is too large.</p>}
      </div>
      <div className={styles.unit}>
        <input
          id={id}
          type="file"
          accept="image/png,image/jpeg,image/webp,image/svg+xml"
          onChange={({ currentTarget }) => void onFile(currentTarget.files?.[0])}
        />
        {logo !== null && (
          <Button small kind="quiet" onClick={onRemove}>
            Remove
          </Button>
        )}
      </div>
    </div>
  );
}

/** Reads a file as a `data:` address. */
const dataAddress = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
