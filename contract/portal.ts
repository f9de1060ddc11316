/** An account of another site that signs members in. */
export interface PortalProvider {
  /** The name that `GET /auth/v1/authorize?provider=` takes. */
  readonly id: string;
  readonly title: string;
}

/**
 * The reply of `GET /portal/v1/app`: what the pages for members show before anybody has signed in. Everything in it is public: calls of
 * the app tell the same.
 */
export interface PortalApp {
  readonly ref: string;
  /** As `ninefold.describe_app` said it, else the name under which the app was made. */
  readonly name: string;
  readonly purpose: string | null;
  readonly audience: string | null;
  readonly publishable_key: string;
  /** The ways to sign in that are on. */
  readonly email: boolean;
  readonly passkey: boolean;
  readonly providers: readonly PortalProvider[];
  /** Anybody can make an account. */
  readonly sign_up: boolean;
  /** A new address counts as confirmed at once. */
  readonly autoconfirm: boolean;
  readonly password_min_length: number;
  /** The digits of a code in a mail. */
  readonly code_digits: number;
  /** How long a link or a code in a mail is valid, in seconds. */
  readonly code_seconds: number;
  /** Members can add an authenticator app. */
  readonly totp: boolean;
  /** Members can add and remove sign-ins of providers. */
  readonly linking: boolean;
  /** Other applications can sign members in with this app. */
  readonly applications: boolean;
}
