import type { CallRequest, Reply } from '../../../contract/call-request.ts';
import { limits } from '../../../contract/limits.ts';
import { LINK_SECRET } from '../../apps/team/link-secret.ts';
import { NinefoldError } from '../../errors/ninefold-error.ts';
import { AddressBank } from '../../limits/address-bank.ts';
import { clientNetwork } from '../../limits/client-network.ts';
import type { AdminContext, SpecificationFormat } from '../context.ts';
import { openApp } from '../open-app.ts';
import { takesGzip, types } from './specification.ts';

/** The values of `?format=`. Without it, the document is a page for people. */
const formats: ReadonlyMap<string, SpecificationFormat> = new Map([
  ['html', 'html'],
  ['md', 'markdown'],
  ['json', 'json'],
]);

/** Handles the requests for specifications that are shared by a link, for readers without an account. */
export class SharedSpecifications {
  readonly #context: AdminContext;
  readonly #reads = new AddressBank(limits.sharedReadsPerSecond.default, 1);

  constructor(context: AdminContext) {
    this.#context = context;
  }

  /**
   * Returns the specification that a link shows, as an export has it. Returns null for a secret that belongs to no link,
   * to a link that has ended, or to a version that is no longer stored, so that no reader can distinguish them.
   * @throws NinefoldError too_many_requests, validation_invalid
   */
  async read(request: CallRequest, secret: string): Promise<Reply | null> {
    const { requests, waitMilliseconds } = this.#reads.take(clientNetwork(request.address));
    if (requests === 0) {
      throw new NinefoldError('too_many_requests', {
        retryAfter: Math.max(1, Math.ceil(waitMilliseconds / 1000)),
        quota: { count: limits.sharedReadsPerSecond.default, seconds: 1 },
      });
    }
    const format = formats.get(new URLSearchParams(request.query).get('format') ?? 'html');
    if (format === undefined) throw new NinefoldError('validation_invalid', { message: 'format is md, json or html.' });
    const { links } = this.#context.registry;
    const link = LINK_SECRET.test(secret) ? await links.open(secret) : null;
    if (!link) return null;
    const isPacked = takesGzip(request.headers['accept-encoding']);
    const app = await openApp(this.#context, link.app);
    const body =
      link.version === null
        ? await this.#context.specify.export(app, format, isPacked)
        : await this.#context.versions.export(app, link.version, format, isPacked);
    if (!body) return null;
    if (request.method === 'GET') await links.noteRead(link.id);
    const headers = { 'content-type': `${types[format]}; charset=utf-8`, vary: 'accept-encoding' };
    return { status: 200, headers: { ...headers, ...(isPacked && { 'content-encoding': 'gzip' }) }, body };
  }
}
