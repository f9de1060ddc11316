import { useQuery } from '@tanstack/react-query';
import { appList } from '../data/apps.ts';

/** Returns the name of an app; its ref until the name is loaded. */
export function useAppName(ref: string): string {
  const { data } = useQuery(appList());
  return data?.find((app) => app.ref === ref)?.name ?? ref;
}
