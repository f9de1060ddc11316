import { NativeSelect } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { NodeTeam } from '../../../contract/team.ts';
import { FailureNote } from '../../ui/failure.tsx';
import { Switch } from '../../ui/switch.tsx';
import { counted, dateTime } from '../format/format.ts';
import { FormDialog } from '../forms/form-dialog.tsx';
import { failureFacts, needsProof } from '../queries/api-failure.ts';
import { setSecondFactorRule } from '../queries/team.ts';
import settings from '../tools/settings/settings.module.css';

/**
 * Switch by which the node requires a second factor from builders. Before it is turned on, a dialog asks how much time
 * builders have to add one.
 */
export function SecondFactorRule({ team }: { team: NodeTeam }) {
  const { mutate, isPending, error } = useMutation(setSecondFactorRule());
  const [asking, setAsking] = useState(false);
  const from = team.second_factor_required_from;
  const failure = needsProof(error) ? null : error;
  const close = () => setAsking(false);
  return (
    <div className={settings.row}>
      <div>
        <b>Second factor required</b>
        <p>{secondFactorSentence(team)}</p>
        {failure && !asking && <FailureNote facts={failureFacts(failure)} />}
      </div>
      <Switch
        label="Second factor required"
        isOn={from !== null}
        isBusy={isPending}
        onChange={(isOn) => (isOn ? setAsking(true) : mutate({ required: false, grace_days: 0 }))}
      />
      {asking && (
        <GraceDialog
          pending={isPending}
          error={failure}
          onSubmit={(days) => mutate({ required: true, grace_days: days }, { onSuccess: close })}
          onClose={close}
        />
      )}
    </div>
  );
}

const graces: Readonly<Record<string, number>> = {
  'at once': 0,
  'in 1 day': 1,
  'in 7 days': 7,
  'in 30 days': 30,
};

/** Asks how much time builders without a second factor have before the node requires one. */
function GraceDialog({
  pending,
  error,
  onSubmit,
  onClose,
}: {
  pending: boolean;
  error: Error | null;
  onSubmit: (days: number) => void;
  onClose: () => void;
}) {
  const [grace, setGrace] = useState('in 7 days');
  return (
    <FormDialog
      title="Require a second factor"
      verb={['Require', 'Saving']}
      pending={pending}
      error={error}
      onSubmit={() => onSubmit(graces[grace] ?? 0)}
      onClose={onClose}
    >
      <p>
        Until then builders without a second factor work as before, and the console shows them the date. After it they
        can only add one. A builder who is invited later adds one at the first sign-in.
      </p>
      <NativeSelect
        label="Takes effect"
        data={Object.keys(graces)}
        value={grace}
        onChange={({ currentTarget }) => setGrace(currentTarget.value)}
      />
    </FormDialog>
  );
}

/** Describes how many builders have a second factor, if the caller may see that, and what happens to builders without one. */
export function secondFactorSentence({
  builders,
  second_factor_required_from: from,
}: {
  builders: readonly { has_second_factor: boolean | null }[];
  second_factor_required_from: string | null;
}): string {
  const having = builders.filter((one) => one.has_second_factor).length;
  const isShown = builders.every((one) => one.has_second_factor !== null);
  const figures = isShown
    ? `${having} of ${counted(builders.length, 'builder')} ${having === 1 ? 'has' : 'have'} one. The others`
    : 'Builders without one';
  if (from === null) return `${figures} open the console with the password alone.`;
  const isPast = Date.parse(from) <= Date.now();
  return isPast
    ? `${figures} can only add one.`
    : `${figures} work as before until ${dateTime(from)}, then they can only add one.`;
}
