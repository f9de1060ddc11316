import { mutationOptions, queryOptions } from '@tanstack/react-query';
import type {
  BundleFault,
  DeployFunction,
  EdgeFunction,
  FunctionLogLine,
  FunctionSources,
  FunctionsState,
} from '../../../contract/functions.ts';
import { api, segment } from './api.ts';
import { ApiFailure } from './api-failure.ts';
import { queryClient, refetchEvery } from './query-client.ts';

/** Pauses between two reads of the figures and of the output, in milliseconds. */
const STATE_MILLISECONDS = 5000;
const LOG_MILLISECONDS = 2000;
/** Maximum number of lines of output that the page holds. */
const MAX_LINES = 1000;

const functionKeys = {
  state: (ref: string) => ['functions', ref] as const,
  logs: (ref: string, name: string, onlyErrors: boolean) => ['functions', ref, name, 'logs', onlyErrors] as const,
  ofRequest: (ref: string, requestId: string) => ['functions', ref, 'request', requestId] as const,
  sources: (ref: string, name: string, version: number) => ['functions', ref, name, 'sources', version] as const,
};

const path = (ref: string, name: string) => `/apps/${segment(ref)}/functions/${segment(name)}`;

/** Reads the edge functions of an app with their versions and figures, and the names of their secrets. */
export const functionsState = (ref: string) =>
  queryOptions({
    queryKey: functionKeys.state(ref),
    queryFn: ({ signal }) => api<FunctionsState>(`/apps/${segment(ref)}/functions`, { signal }),
    refetchInterval: refetchEvery(STATE_MILLISECONDS),
  });

/** The output of a function. */
export interface FunctionOutput {
  /** In the order of their times. */
  readonly lines: readonly FunctionLogLine[];
  /** The greatest id of the first read. Lines with a greater id have arrived since. */
  readonly known: number;
}

const greatestId = (lines: readonly FunctionLogLine[]): number => Math.max(0, ...lines.map(({ id }) => id));

/** Adds lines that a read has returned. Pure. */
export function withLines(before: FunctionOutput | undefined, lines: readonly FunctionLogLine[]): FunctionOutput {
  if (!before) return { lines, known: greatestId(lines) };
  return lines.length === 0 ? before : { ...before, lines: [...before.lines, ...lines].slice(-MAX_LINES) };
}

/**
 * Reads the output of a function. While it is live, further reads return only the lines that are new.
 * @param onlyErrors True for errors and warnings only.
 */
export const functionOutput = (ref: string, name: string, onlyErrors: boolean, isLive: boolean) => {
  const queryKey = functionKeys.logs(ref, name, onlyErrors);
  return queryOptions({
    queryKey,
    queryFn: async ({ signal }): Promise<FunctionOutput> => {
      const before = queryClient.getQueryData<FunctionOutput>(queryKey);
      const query = new URLSearchParams({
        function: name,
        after: String(greatestId(before?.lines ?? [])),
        ...(onlyErrors && { level: 'error' }),
      });
      return withLines(
        before,
        await api<FunctionLogLine[]>(`/apps/${segment(ref)}/function-logs?${query}`, { signal }),
      );
    },
    refetchInterval: isLive ? refetchEvery(LOG_MILLISECONDS) : false,
    ...(!isLive && { staleTime: Number.POSITIVE_INFINITY }),
    gcTime: 0,
  });
};

/** Reads what functions wrote while they answered a request. */
export const outputOfRequest = (ref: string, requestId: string) =>
  queryOptions({
    queryKey: functionKeys.ofRequest(ref, requestId),
    queryFn: ({ signal }) =>
      api<FunctionLogLine[]>(`/apps/${segment(ref)}/function-logs?${new URLSearchParams({ request_id: requestId })}`, {
        signal,
      }),
  });

/** Reads the files of a version, which never change. */
export const functionSources = (ref: string, name: string, version: number) =>
  queryOptions({
    queryKey: functionKeys.sources(ref, name, version),
    queryFn: ({ signal }) => api<FunctionSources>(`${path(ref, name)}/source?version=${version}`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

const changing = <Body, Answer>(ref: string, call: (body: Body) => Promise<Answer>) =>
  mutationOptions({
    mutationFn: call,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: functionKeys.state(ref), exact: true }),
  });

/** Deploys a version of a function and makes it active. Its files need not be read from the server. */
export const deployFunction = (ref: string) =>
  changing(ref, async ({ name, ...body }: DeployFunction & { name: string }) => {
    const deployed = await api<EdgeFunction>(path(ref, name), { method: 'PUT', body });
    const { entrypoint, files, import_map = null } = body;
    const sources: FunctionSources = { entrypoint, files, import_map };
    const [newest] = deployed.versions;
    if (newest) queryClient.setQueryData(functionSources(ref, name, newest.number).queryKey, sources);
    return deployed;
  });

/** Makes a version active, switches the function off with the version null, or changes whether it verifies callers. */
export const changeFunction = (ref: string, name: string) =>
  changing(ref, (body: { version?: number | null; verify_jwt?: boolean }) =>
    api<EdgeFunction>(path(ref, name), { method: 'PATCH', body }),
  );

/** Deletes a function with its versions. */
export const deleteFunction = (ref: string, name: string) =>
  changing(ref, () => api<null>(path(ref, name), { method: 'DELETE' }));

/** Sets a secret; the value null deletes it. */
export const setSecret = (ref: string) =>
  changing(ref, ({ name, value }: { name: string; value: string | null }) =>
    api<FunctionsState>(`/apps/${segment(ref)}/function-secrets`, { method: 'PUT', body: { [name]: value } }),
  );

/** Returns the faults of code that a deployment refused; none for another error. Pure. */
export function bundleFaults(error: unknown): readonly BundleFault[] {
  if (!(error instanceof ApiFailure) || error.code !== 'function_not_bundled' || !Array.isArray(error.details))
    return [];
  return error.details as readonly BundleFault[];
}
