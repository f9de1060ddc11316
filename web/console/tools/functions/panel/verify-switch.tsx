import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { EdgeFunction } from '../../../../../contract/functions.ts';
import { FormDialog } from '../../../forms/form-dialog.tsx';
import { changeFunction } from '../../../queries/functions.ts';
import { VerifyField } from '../dialogs/verify-field.tsx';
import { callerWords } from '../function-words.ts';

/** Shows whether callers need a key or a token, and changes it after a confirmation. */
export function VerifySwitch({
  appRef,
  selected,
  readOnly,
}: {
  appRef: string;
  selected: EdgeFunction;
  readOnly: string | null;
}) {
  const [isAsking, setIsAsking] = useState(false);
  const { mutate, isPending, error } = useMutation(changeFunction(appRef, selected.name));
  const { name, verify_jwt: verifies } = selected;
  if (readOnly !== null) return <p className="soft">Callers: {callerWords(selected)}.</p>;
  return (
    <>
      <VerifyField verifies={verifies} isBusy={isPending} onChange={() => setIsAsking(true)} />
      {isAsking && (
        <FormDialog
          title={verifies ? `Let everybody call ${name}` : `Verify the callers of ${name}`}
          verb={verifies ? ['Let everybody call', 'Changing'] : ['Verify callers', 'Changing']}
          danger={verifies}
          focusesVerb
          pending={isPending}
          error={error}
          onSubmit={() => mutate({ verify_jwt: !verifies }, { onSuccess: () => setIsAsking(false) })}
          onClose={() => setIsAsking(false)}
        >
          <p>
            {verifies
              ? 'Requests without a key and without a token will reach the code. Choose this for webhooks, and check their signature in the code.'
              : 'Requests without a key of the app or a token of a member will be refused with the status 401. Webhooks of other services usually send neither.'}
          </p>
        </FormDialog>
      )}
    </>
  );
}
