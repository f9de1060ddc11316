import { appRoles } from '../../../../contract/least-roles.ts';
import { Table, TableHead } from '../../../ui/table.tsx';
import { Verdict } from '../../../ui/verdict.tsx';
import { canDo } from './can-do.ts';
import styles from './team.module.css';

/** Table of what each role may do on an app. */
export function RoleTable() {
  return (
    <Table label="Permissions of the roles">
      <TableHead names={['Call', ...appRoles]} />
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
