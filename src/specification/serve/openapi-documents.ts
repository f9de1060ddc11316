import type { OpenApiMode } from '../../../contract/settings.ts';
import type { App } from '../../apps/app.ts';
import { RememberedByRole } from '../derive/remembered-by-role.ts';
import type { SpecificationService } from './specification-service.ts';

/**
 * The max number of roles of an app for which documents are cached. Without this limit, the cache could grow without
 * end, because a token may contain any role.
 */
const ROLES = 20;

/** A cache of the OpenAPI documents of the apps. An entry is valid until the app's database notifies of a change. */
export class OpenApiDocuments {
  readonly #specifications: SpecificationService;
  readonly #known = new RememberedByRole<string>(ROLES);

  constructor(specifications: SpecificationService) {
    this.#specifications = specifications;
  }

  /**
   * Returns the document for a role as JSON; null if the setting openapi_mode disables it.
   * @throws Errors of deriving the specification.
   */
  async for(app: App, role: string): Promise<string | null> {
    const { rest } = await app.settings();
    const mode: OpenApiMode = rest.openapi_mode;
    if (mode === 'disabled') return null;
    const of = mode === 'ignore-privileges' ? null : role;
    return this.#known.get(app, of ?? '', () => this.#specifications.openApi(app, of));
  }
}
