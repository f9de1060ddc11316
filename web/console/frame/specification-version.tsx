import { useQuery } from '@tanstack/react-query';
import { specification } from '../data/specification/specification.ts';

/** Which specification this is, for the running head: the first seven characters of its hash. */
export function SpecificationVersion({ appRef }: { appRef: string }) {
  const { data } = useQuery(specification(appRef));
  if (!data) return null;
  return (
    <span>
      Specification <code title={data.hash}>{data.hash.slice(0, 7)}</code>
    </span>
  );
}
