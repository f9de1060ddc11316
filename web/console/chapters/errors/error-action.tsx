import { Link } from '@tanstack/react-router';
import type { ErrorLine } from '../../../../contract/specification.ts';
import { decidedBy } from './error-words.ts';

/** Link to the page where a builder changes what an error depends on, or sees the requests that got it. */
export function ErrorAction({ appRef, line }: { appRef: string; line: ErrorLine }) {
  const { group, origin, code, limit } = line;
  const common = {
    params: { ref: appRef },
    // The row itself opens the panel.
    onClick: (event: { stopPropagation: () => void }) => event.stopPropagation(),
  };
  if (limit !== null) {
    return (
      <Link to="/app/$ref/limits" search={{ limit }} {...common}>
        see the limit
      </Link>
    );
  }
  if (group === 'rule' && origin !== null) {
    return (
      <Link to="/app/$ref/rules" search={{ rule: origin }} {...common}>
        see the rule
      </Link>
    );
  }
  if (group === 'transition') {
    return (
      <Link to="/app/$ref/states" {...common}>
        see the states
      </Link>
    );
  }
  if (group === 'auth') {
    return (
      <Link to="/app/$ref/sign-in-methods" {...common}>
        sign-in methods
      </Link>
    );
  }
  if (decidedBy(line) === 'From access and sign-in') {
    return (
      <Link to="/app/$ref/roles" {...common}>
        see the roles
      </Link>
    );
  }
  if (code === null) return null;
  return (
    <Link to="/app/$ref/logs" search={{ code, window: '24h' }} {...common}>
      see the requests
    </Link>
  );
}
