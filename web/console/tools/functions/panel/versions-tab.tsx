import { useMutation } from '@tanstack/react-query';
import type { EdgeFunction, FunctionVersion } from '../../../../../contract/functions.ts';
import { functionLimits } from '../../../../../contract/limits/functions.ts';
import { Button } from '../../../../ui/button.tsx';
import { classNames } from '../../../../ui/class-names.ts';
import { Dot } from '../../../../ui/dot.tsx';
import { FailureNote } from '../../../../ui/failure.tsx';
import { Switch } from '../../../../ui/switch.tsx';
import { bytes } from '../../../format/format.ts';
import { TimeAgo } from '../../../format/time-ago.tsx';
import { failureFacts } from '../../../queries/api-failure.ts';
import { changeFunction } from '../../../queries/functions.ts';
import { activeVersion } from '../function-words.ts';
import styles from '../functions.module.css';

/** The versions of a function, newest first. One of them runs, or none while the function is switched off. */
export function VersionsTab({
  appRef,
  selected,
  readOnly,
}: {
  appRef: string;
  selected: EdgeFunction;
  readOnly: string | null;
}) {
  const { mutate, isPending, variables, error } = useMutation(changeFunction(appRef, selected.name));
  const isOn = activeVersion(selected) !== undefined;
  const newest = selected.versions[0]?.number ?? null;
  return (
    <>
      {readOnly === null && (
        <div className={styles.switch}>
          <Switch
            label="Function runs"
            isOn={isOn}
            isBusy={isPending}
            onChange={(next) => mutate({ version: next ? newest : null })}
          />
          <span>
            {isOn ? 'Off refuses all calls, and stores the versions.' : `On runs version ${newest}, the newest.`}
          </span>
        </div>
      )}
      {error && <FailureNote facts={failureFacts(error)} />}
      <ul className={styles.versions} aria-label="Versions">
        {selected.versions.map((version) => (
          <Version
            key={version.number}
            version={version}
            offBecause={readOnly}
            verb={isOn ? 'Return to it' : 'Run it'}
            isBusy={isPending && variables.version === version.number}
            onRun={() => mutate({ version: version.number })}
          />
        ))}
      </ul>
      <p className={styles.note}>
        The next call runs the version that you return to. Calls that run end with their own version. Ninefold stores{' '}
        {functionLimits.functionVersions.default} versions of a function.
      </p>
    </>
  );
}

function Version({
  version: { number, created_at: at, created_by: by, message, bytes: size, is_active: isActive },
  offBecause,
  verb,
  isBusy,
  onRun,
}: {
  version: FunctionVersion;
  offBecause: string | null;
  verb: string;
  isBusy: boolean;
  onRun: () => void;
}) {
  return (
    <li className={classNames(isActive && styles.active)}>
      <span>{isActive && <Dot />}</span>
      <span>
        <b>v{number}</b> {isActive ? 'runs, deployed ' : ''}
        <TimeAgo iso={at} />
        <small>
          {by}
          {message !== null && `: “${message}”`}, {bytes(size)}
        </small>
      </span>
      {!isActive && (
        <Button
          small
          offBecause={offBecause}
          busy={isBusy && 'Changing'}
          aria-label={`${verb}: version ${number}`}
          onClick={onRun}
        >
          {verb}
        </Button>
      )}
    </li>
  );
}
