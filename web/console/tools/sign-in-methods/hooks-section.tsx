import { useMutation, useQuery } from '@tanstack/react-query';
import { functionOfHook, type HookFunction, type HookName, hookNames, hooks } from '../../../../contract/hooks.ts';
import { FailureNote } from '../../../ui/failure.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { failureFacts } from '../../queries/api-failure.ts';
import { type AppSettings, changeSettings, hookFunctions } from '../../queries/settings.ts';
import styles from './sign-in-methods-page.module.css';

/** Returns the name that stands for a hook in the address of the page. */
const hookMethod = (name: HookName): string => `hook_${name}`;

export const hookOfMethod = (method: string | null): HookName | null =>
  hookNames.find((name) => hookMethod(name) === method) ?? null;

/** Lists every auth hook with its switch and its effect. A click opens the panel of the hook. */
export function HookList({
  appRef,
  settings,
  chosen,
  onChoose,
}: {
  appRef: string;
  settings: AppSettings;
  chosen: string | null;
  onChoose: (method: string) => void;
}) {
  const { mutate, isPending, variables, error } = useMutation(changeSettings(appRef));
  const functions = useQuery(hookFunctions(appRef));
  return (
    <>
      <ul className={styles.list}>
        {hookNames.map((name) => {
          const { title, effect } = hooks[name];
          const key = `hook_${name}_enabled`;
          const uri = String(settings.get(`hook_${name}_uri`)?.value ?? '');
          const isReady = uri !== '' && (functionOfHook(uri) !== null || settings.get(`hook_${name}_secrets`)?.is_set);
          const isOn = settings.get(key)?.value === true;
          const problem = isOn && functions.data ? problemOf(uri, functions.data) : null;
          return (
            <li key={name} className={styles.row}>
              <button
                type="button"
                className={styles.open}
                aria-expanded={chosen === hookMethod(name)}
                onClick={() => onChoose(hookMethod(name))}
              >
                {title}
              </button>
              <p>{problem ?? effect}</p>
              <Switch
                label={title}
                isOn={isOn}
                isBusy={isPending && Object.hasOwn(variables, key)}
                onChange={(next) => (next && !isReady ? onChoose(hookMethod(name)) : mutate({ [key]: next }))}
              />
            </li>
          );
        })}
      </ul>
      {error && <FailureNote facts={failureFacts(error)} />}
    </>
  );
}

/** Returns a sentence that says why the function of a hook cannot run. Null if it can, and null for a hook that is an address. */
export function problemOf(uri: string, functions: readonly HookFunction[]): string | null {
  const target = functionOfHook(uri);
  if (target === null) return null;
  const found = functions.find(({ schema, name }) => schema === target.schema && name === target.name);
  if (!found) return `The app has no function ${target.schema}.${target.name}(jsonb), so each call of the hook fails.`;
  return found.is_executable
    ? null
    : `The role supabase_auth_admin lacks EXECUTE on ${target.schema}.${target.name}, so each call of the hook fails.`;
}
