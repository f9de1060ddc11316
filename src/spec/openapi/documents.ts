import type { OpenApiMode } from '../../../contract/settings.ts';
import type { App } from '../../apps/app.ts';
import { RememberedByRole } from '../remembered-by-role.ts';
import type { SpecificationService } from '../specification-service.ts';

/** How many roles a document is remembered for; what a token says its role is may be anything. */
const ROLES = 20;

/** The OpenAPI documents of the apps, each remembered until the app's database tells of a change. */
export class OpenApiDocuments {
  readonly #specifications: SpecificationService;
  readonly #known = new RememberedByRole<string>(ROLES);

  constructor(specifications: SpecificationService) {
    this.#specifications = specifications;
  }

  /** As JSON, for a role; null where the setting openapi_mode switches it off. Throws what deriving it throws. */
  async for(app: App, role: string): Promise<string | null> {
    const { rest } = await app.settings();
    const mode: OpenApiMode = rest.openapi_mode;
    if (mode === 'disabled') return null;
    const of = mode === 'ignore-privileges' ? null : role;
    return this.#known.get(app, of ?? '', () => this.#specifications.openApi(app, of));
  }
}
