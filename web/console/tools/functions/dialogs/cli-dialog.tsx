import { Code } from '../../../../ui/code.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import styles from '../functions.module.css';

/** The command that deploys the functions of a project. Pure. */
export const deployCommand = (appRef: string): string => `ninefold functions deploy ${appRef} .`;

const commandsOf = (appRef: string): readonly (readonly [words: string, code: string])[] => [
  [
    'Deploy all functions of the project in this folder, or only one:',
    `${deployCommand(appRef)}\n${deployCommand(appRef)} --only hello`,
  ],
  ['Deploy at each change of a file, and print the output:', `ninefold functions serve ${appRef} .`],
  [
    'Set the secrets of a file, or one of them:',
    `ninefold secrets set ${appRef} --env-file .env\nninefold secrets set ${appRef} SMTP_TOKEN=…`,
  ],
  [
    'Follow the output, and return to the version before:',
    `ninefold functions logs ${appRef} --follow\nninefold functions rollback ${appRef} hello`,
  ],
];

/** Shows the commands that deploy functions from a project. */
export const CliDialog = ({ appRef, onClose }: { appRef: string; onClose: () => void }) => (
  <Dialog title="Deploy from the CLI" width={620} onClose={onClose}>
    <p>
      Run the commands on the machine of the node, in a project with <code>supabase/functions</code>. Each folder in it
      with an <code>index.ts</code> is a function; <code>config.toml</code> decides about <code>verify_jwt</code>,{' '}
      <code>entrypoint</code> and <code>import_map</code>.
    </p>
    {commandsOf(appRef).map(([words, code]) => (
      <section key={words} className={styles.command}>
        <h3>{words}</h3>
        <Code code={code} language="shell" label="the commands" wrap />
      </section>
    ))}
  </Dialog>
);
