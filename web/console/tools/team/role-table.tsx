import { appRoles } from '../../../../contract/team.ts';
import { Table } from '../../../ui/table.tsx';
import { Verdict } from '../../../ui/verdict.tsx';
import { canDo } from './can-do.ts';
import styles from './team.module.css';

/** Table of the access of each role to an app. */
export function RoleTable() {
  return (
    <Table label="What each role may do">
      <thead>
        <tr>
          <th scope="col">Call</th>
          {appRoles.map((role) => (
            <th key={role} scope="col">
              {role}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {canDo.map(({ words, marks }) => (
          <tr key={words}>
            <th scope="row" className={styles.words}>
              {words}
            </th>
            {appRoles.map((role) => (
              <td key={role}>
                <Verdict of={marks[role]} words={marks[role] === 'when' ? 'in part' : ''} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
