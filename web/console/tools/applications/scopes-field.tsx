import { oauthScopeNames, oauthScopes } from '../../../../contract/oauth-scopes.ts';
import form from '../../forms/form.module.css';

/** Returns the scopes of an application; an application that was registered without `scope` has all of them. */
export const scopesOf = (scope: string | undefined): readonly string[] => scope?.split(' ') ?? oauthScopeNames;

/** Field for the scopes that an application may ask for. */
export function ScopesField({
  value,
  readOnly = false,
  onChange,
}: {
  value: readonly string[];
  readOnly?: boolean;
  onChange: (value: readonly string[]) => void;
}) {
  return (
    <fieldset className={form.options}>
      <legend className={form.label}>The application may ask for</legend>
      {oauthScopeNames.map((scope) => (
        <label key={scope} className={form.check}>
          <input
            type="checkbox"
            disabled={readOnly}
            checked={value.includes(scope)}
            onChange={({ target }) =>
              onChange(oauthScopeNames.filter((one) => (one === scope ? target.checked : value.includes(one))))
            }
          />
          <code>{scope}</code> {oauthScopes[scope]}
        </label>
      ))}
    </fieldset>
  );
}
