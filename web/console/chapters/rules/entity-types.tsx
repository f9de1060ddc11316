import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Entity } from '../../../../contract/specification-entities.ts';
import { Code } from '../../../ui/code.tsx';
import { FailureNote } from '../../../ui/failure.tsx';
import { Figure } from '../../../ui/figure.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { Skeleton } from '../../../ui/table.tsx';
import { shortId } from '../../format/format.ts';
import { failureFacts } from '../../queries/api-failure.ts';
import { entityTypes, specification, type TypesFormat } from '../../queries/specification.ts';
import styles from './rules.module.css';

const options: Readonly<Record<TypesFormat, string>> = {
  zod: ' --zod',
  'json-schema': ' --json-schema',
  typescript: '',
};

/** Shows the rules of an entity as types and schemas for programs, for example for a form that validates its input. */
export function EntityTypes({
  appRef,
  entities,
  suggested,
}: {
  appRef: string;
  /** Entities that calls reach; at least one. */
  entities: readonly Entity[];
  /** Id of the entity whose rule the panel shows. */
  suggested: string | undefined;
}) {
  const [chosen, choose] = useState<string | null>(null);
  const [format, setFormat] = useState<TypesFormat>('zod');
  const entity = entities.find(({ id }) => id === (chosen ?? suggested)) ?? entities[0];
  const hash = useQuery(specification(appRef)).data?.hash ?? '';
  const id = entity?.id ?? '';
  const { data, error, isPlaceholderData } = useQuery(entityTypes(appRef, id, format, hash));
  const command = `node bin/ninefold.js types ${appRef}${options[format]}`;
  return (
    <Figure
      number="Figure 5.3"
      caption="Schemas for programs, to validate input before sending"
      tools={
        <Segmented
          label="Written as"
          value={format}
          options={[
            ['zod', 'zod'],
            ['json-schema', 'JSON Schema'],
            ['typescript', 'TypeScript'],
          ]}
          onChange={setFormat}
        />
      }
    >
      <div className={styles.types}>
        <NativeSelect
          label="Entity"
          value={id}
          data={entities.map((one) => ({ value: one.id, label: shortId(one.id) }))}
          onChange={(event) => choose(event.currentTarget.value)}
        />
        {error && <FailureNote facts={failureFacts(error)} />}
        {data === undefined && !error && <Skeleton width={240} />}
        {data !== undefined && (
          <div className={styles.code} aria-busy={isPlaceholderData}>
            <Code
              code={data}
              language={format === 'json-schema' ? 'json' : 'javascript'}
              label={`${shortId(id)} in ${format}`}
              wrap
            />
          </div>
        )}
        <p className={styles.how}>
          All entities at once: <code>{command}</code>. PostgreSQL also checks the rules that the schemas do not
          contain.
        </p>
      </div>
    </Figure>
  );
}
