import { useQuery } from '@tanstack/react-query';
import { appList } from '../queries/apps.ts';

/** Returns the name of an app. Until the name is loaded, returns the ref. */
export function useAppName(ref: string): string {
  const { data } = useQuery(appList());
  return data?.find((app) => app.ref === ref)?.name ?? ref;
}
