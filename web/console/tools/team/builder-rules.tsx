import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { builderLimits } from '../../../../contract/limits/builders.ts';
import { passwordLimits } from '../../../../contract/limits/passwords.ts';
import type { AppTeam } from '../../../../contract/team.ts';
import { secondFactorSentence } from '../../node/second-factor-rule.tsx';
import { builder } from '../../queries/session.ts';
import settings from '../settings/settings.module.css';

/** Rules of the node for its builders. Only owners of the node change these rules, on the page Builders. */
export function BuilderRules({ team }: { team: AppTeam }) {
  const ownsNode = useQuery(builder()).data?.owns_node === true;
  const isRequired = team.second_factor_required_from !== null;
  return (
    <>
      <Rule
        name="Second factor required"
        words={secondFactorSentence(team)}
        value={
          <>
            {isRequired ? 'on' : 'off'}
            {ownsNode && (
              <>
                , <Link to="/builders">change on the page Builders</Link>
              </>
            )}
          </>
        }
      />
      <Rule
        name="Builders sign in with"
        words={`The password has at least ${passwordLimits.builderPasswordMinCharacters.default} characters. The sign-in methods of members are separate.`}
        value="password or passkey"
      />
      <Rule
        name="Identity confirmed for sensitive calls"
        words="Secret keys, roles, invitations and the deletion of an app need the password, a passkey or the second factor."
        value={`not older than ${builderLimits.builderProofSeconds.default / 60} minutes`}
      />
    </>
  );
}

function Rule({ name, words, value }: { name: string; words: string; value: ReactNode }) {
  return (
    <div className={settings.row}>
      <div>
        <b>{name}</b>
        <p>{words}</p>
      </div>
      <span>{value}</span>
    </div>
  );
}
