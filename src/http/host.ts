import { REF } from '../apps/app-record.ts';

/** Paths that mean the same on every host. */
const API = /^\/(auth|rest|realtime|storage|functions)\/v1(?=[/?]|$)/;

/**
 * `/rest/v1/…` on the host `<ref>.<domain>`, or on any host where a default app is named, is `/apps/<ref>/rest/v1/…`.
 * Of an absolute URL the path and query are left; any other stays as it is.
 */
export function rewriteHost(
  url: string,
  host: string | undefined,
  domain: string | null,
  defaultApp: string | null,
): string {
  // RFC 9112, section 3.2.2: a server takes the absolute form too.
  const path = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '') || '/';
  if (!API.test(path)) return path;
  const ref = refOfHost(host, domain) ?? defaultApp;
  return ref === null ? path : `/apps/${ref}${path}`;
}

function refOfHost(host: string | undefined, domain: string | null): string | null {
  if (!host || !domain) return null;
  const name = host.replace(/:\d+$/, '').toLowerCase();
  if (!name.endsWith(`.${domain}`)) return null;
  const ref = name.slice(0, -domain.length - 1);
  return REF.test(ref) ? ref : null;
}
