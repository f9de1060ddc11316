import { CONSOLE_REF, REF } from './app-record.ts';

/** Configuration of the origins. */
export interface OriginOptions {
  /** URL at which clients reach the node, without a trailing slash. */
  readonly url: string;
  /** True if NINEFOLD_URL sets `url`; otherwise all loopback names belong to the node too. */
  readonly isNamed: boolean;
  /** Value of NINEFOLD_DOMAIN; null if not set. */
  readonly domain: string | null;
  /** Value of NINEFOLD_DEFAULT_APP; null if not set. */
  readonly defaultApp: string | null;
  /** Further host names of the node: the value of NINEFOLD_HOSTS. */
  readonly hosts?: readonly string[];
}

const LOCAL = 'localhost';

/**
 * Decides which origin belongs to the node and which to an app. The node's origin serves the console and the management
 * API. Code of an app runs only on the app's origin (docs/decisions/0012-origins.md).
 */
export class Origins {
  /** URL at which clients reach the node, without a trailing slash. */
  readonly url: string;
  readonly defaultApp: string | null;
  /** True if clients reach the node over TLS. */
  readonly isSecure: boolean;
  /** Port in `url`, or the default port of the scheme. */
  readonly port: string;
  readonly #base: URL;
  readonly #isNamed: boolean;
  readonly #domain: string | null;
  /** The host names of the node that its settings name. */
  readonly #names: ReadonlySet<string>;

  constructor({ url, isNamed, domain, defaultApp, hosts = [] }: OriginOptions) {
    this.url = url;
    this.defaultApp = defaultApp;
    this.#base = new URL(url);
    this.isSecure = this.#base.protocol === 'https:';
    this.port = this.#base.port || (this.isSecure ? '443' : '80');
    this.#isNamed = isNamed;
    this.#domain = domain?.toLowerCase() ?? null;
    this.#names = new Set([this.#base.hostname, ...hosts]);
  }

  /** Returns the ref of the app whose origin a Host header names; null for the node's origin. */
  appAt(host: string | undefined): string | null {
    const name = hostName(host);
    if (this.#names.has(name)) return null;
    const ref = refBelow(name, LOCAL) ?? (this.#domain === null ? null : refBelow(name, this.#domain));
    if (ref !== null) return ref;
    const isOwn = name === '' || (!this.#isNamed && isLoopback(name));
    return isOwn ? null : this.defaultApp;
  }

  /**
   * Returns true if the node serves requests with this Host header: it names an app, the node, the node's own machine,
   * or the address at which the connection arrived. A page of any other name could read the node's responses after the
   * name was pointed at the node (DNS rebinding), because browsers would take both for the same origin. Ports are not
   * compared, because a proxy or a container may have another one.
   * @param connection Has the address of this machine at which the connection arrived.
   */
  isServed(host: string | undefined, connection: { readonly localAddress?: string | undefined }): boolean {
    const name = hostName(host);
    if (name === '' || this.#names.has(name) || isLoopback(name) || this.appAt(host) !== null) return true;
    return name.replace(/^\[(.*)\]$/, '$1') === connection.localAddress?.replace(/^::ffff:/, '');
  }

  /**
   * Returns the origin of an app: below the domain, or below `localhost` if clients reach the node by a loopback name.
   * Returns null if no host name leads to the app, so that it is served only on the node's origin.
   */
  appOrigin(ref: string): string | null {
    const parent = this.#domain ?? (isLoopback(this.#base.hostname) ? LOCAL : null);
    if (parent === null || this.appAt(`${ref}.${parent}`) !== ref) return null;
    const port = this.#base.port === '' ? '' : `:${this.#base.port}`;
    return `${this.#base.protocol}//${ref}.${parent}${port}`;
  }

  /**
   * Returns the URL of an app's API for all kinds of clients. Without a domain it is a path on the node's origin,
   * because programs do not resolve names below `localhost` as browsers do.
   */
  appUrl(ref: string): string {
    const origin = this.#domain === null ? null : this.appOrigin(ref);
    return origin ?? this.pathUrl(ref);
  }

  /**
   * Returns the origin of the console for passkeys, which need a name: a loopback address is replaced by `localhost`.
   */
  passkeyOrigin(): string {
    return isLoopback(this.#base.hostname) ? `${this.#base.protocol}//${LOCAL}:${this.port}` : this.#base.origin;
  }

  /** Returns the URL of an app's API as a path on the node's origin; the issuer of its tokens starts with it. */
  pathUrl(ref: string): string {
    return `${this.url}/apps/${ref}`;
  }

  /**
   * Returns the URL of an app's API at the origin to which a request with this Host header was sent, as clients outside
   * of a proxy see it.
   */
  urlAt(ref: string, host: string | undefined): string {
    if (host === undefined) return this.pathUrl(ref);
    if (this.appAt(host) === null) {
      return this.#isNamed ? this.pathUrl(ref) : `${this.#base.protocol}//${host}/apps/${ref}`;
    }
    const origin = this.isAtOrigin(ref, host) ? this.appOrigin(ref) : null;
    return origin ?? `${this.#base.protocol}//${host}`;
  }

  /**
   * Returns true for the address of an edge function of this node, at the origin of an app or below `/apps/<ref>`. The port must be that of
   * the node's own URL.
   */
  isFunction({ protocol, host, port, pathname }: URL): boolean {
    if (protocol !== this.#base.protocol || port !== this.#base.port) return false;
    if (host === this.#base.host) return /^\/apps\/[^/]+\/functions\/v1\//.test(pathname);
    const ref = this.appAt(host);
    return ref !== null && this.isAtOrigin(ref, host) && pathname.startsWith('/functions/v1/');
  }

  /** Returns the origins at which browsers show the console, without those that CSP cannot express. */
  consoleOrigins(): readonly string[] {
    const { protocol, port } = this.#base;
    const names = new Set([...this.#names, ...(this.#isNamed ? [] : [LOCAL, '127.0.0.1'])]);
    return [...names]
      .filter((name) => CSP_HOST.test(name))
      .map((name) => `${protocol}//${name}${port === '' ? '' : `:${port}`}`);
  }

  /** Returns a CSP source for the origins of all apps, without a path; null if no host names lead to apps. */
  appSource(): string | null {
    const parent = this.#domain ?? (isLoopback(this.#base.hostname) ? LOCAL : null);
    if (parent === null) return null;
    return `${this.#base.protocol}//*.${parent}${this.#base.port === '' ? '' : `:${this.#base.port}`}`;
  }

  /** Returns true if a request with this Host header was sent to the app's own origin. */
  isOfApp(ref: string, host: string | undefined): boolean {
    return this.appAt(host) === ref;
  }

  /**
   * Returns true if this Host header is that of the app's own origin. Returns false for other host names of the app,
   * because cookies are bound to a single name.
   */
  isAtOrigin(ref: string, host: string | undefined): boolean {
    const origin = this.appOrigin(ref);
    return origin !== null && this.isHostOf(origin, host);
  }

  /** Returns true if this Host header has the host name of a URL. */
  isHostOf(url: string, host: string | undefined): boolean {
    return new URL(url).hostname === hostName(host);
  }

  /** Returns true if the Origin header is the node's own origin. `host` is the Host header of the same request. */
  isNode(origin: string, host: string | undefined): boolean {
    if (origin === this.#base.origin) return true;
    if (host === undefined || this.appAt(host) !== null) return false;
    return origin === `https://${host}` || (!this.isSecure && origin === `http://${host}`);
  }

  /** Returns the origin of a request with this Host header as a CSP source; null if CSP cannot express the host. */
  sourceOf(host: string | undefined): string | null {
    return host !== undefined && CSP_HOST.test(host) ? `${this.#base.protocol}//${host.toLowerCase()}` : null;
  }
}

/** Matches hosts that a source expression can contain (CSP level 3, section 2.3.1), which excludes IPv6 addresses. */
const CSP_HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?$/i;

/** Returns the name in a Host header, without port and final dot. */
const hostName = (host: string | undefined): string =>
  host === undefined ? '' : host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();

const isLoopback = (name: string): boolean => name === LOCAL || name === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(name);

function refBelow(name: string, parent: string): string | null {
  if (!name.endsWith(parent) || name.charCodeAt(name.length - parent.length - 1) !== DOT) return null;
  const ref = name.slice(0, -parent.length - 1);
  return REF.test(ref) && ref !== CONSOLE_REF ? ref : null;
}

const DOT = '.'.charCodeAt(0);
