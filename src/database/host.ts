/** A host name or an address, and a TCP port. */
export interface Host {
  readonly host: string;
  readonly port: number;
}

/** Returns a host as messages name it. */
export const hostName = ({ host, port }: Host): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;
