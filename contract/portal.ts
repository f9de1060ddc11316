import type { ScreenKind } from './description.ts';

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
  /** The accent colour, as in `#1f6feb`, and the logo, a `data:` address; set by `ninefold.set_look`. */
  readonly accent: string | null;
  readonly logo: string | null;
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

/**
 * The reply of `GET /portal/v1/screens`: the screens of chapter 2 that the caller may open, and of their entities what the caller may
 * read or write. It names nothing else. Labels are in sentence case.
 */
export interface PortalScreens {
  /** The member roles of the caller, by label. */
  readonly roles: readonly string[];
  readonly navigation: readonly PortalGroup[];
  /** The route of the first page; null for a page with links to the screens. */
  readonly home: string | null;
  readonly screens: readonly PortalScreen[];
  readonly entities: readonly PortalEntity[];
}

/** A part of the navigation; the first one has no title. */
export interface PortalGroup {
  readonly title: string | null;
  /** Routes of screens. */
  readonly routes: readonly string[];
}

/** A list with a search, filters and an order, which a member has saved: an entry of `/portal/v1/views`. */
export interface PortalView {
  /** Route of the list. */
  readonly route: string;
  readonly name: string;
  /** The query of the list's address, without `?`. */
  readonly search: string;
}

export interface PortalScreen {
  /** `/tickets/:id`: a part that starts with a colon is a field of the key. */
  readonly route: string;
  readonly title: string;
  readonly kind: ScreenKind;
  /** Id of the entity. */
  readonly entity: string;
  /** Fields that the caller may read; of a form, those that the caller may write. */
  readonly columns: readonly string[];
  /** As in the query of a data call; null for all rows that the caller may read. */
  readonly filter: string | null;
  /** As the parameter `order` of a data call. */
  readonly order: string | null;
  /** The field by whose values a list groups its rows. */
  readonly group: string | null;
  /** Ids of the entities whose rows a detail lists; null for all that refer to the row. */
  readonly related: readonly string[] | null;
  /** Of a calendar. */
  readonly span: { readonly start: string; readonly end: string } | null;
  /** The functions that the caller may call from the screen. */
  readonly actions: readonly PortalAction[];
}

/** A function that a screen offers as a button. */
export interface PortalAction {
  /** The schema that the call names; null for the first schema of the API. */
  readonly schema: string | null;
  readonly name: string;
  readonly label: string;
  readonly help: string | null;
  /** The arguments that the member gives, as fields of a form. */
  readonly fields: readonly PortalField[];
  /** On a detail: the argument that takes the key of the row, and the field of the key. */
  readonly row: { readonly argument: string; readonly field: string } | null;
  /** Id of the entity whose row the function returns. */
  readonly returns: string | null;
}

/** Whether an operation is open to the caller. */
export interface PortalAccess {
  readonly open: boolean;
  /** For which rows, in words; null for all rows, and where the words would name what the caller may not read. */
  readonly when: string | null;
}

export interface PortalEntity {
  readonly id: string;
  /** The schema that a data call names; null for the first schema of the API. */
  readonly schema: string | null;
  readonly name: string;
  /** "Tickets". */
  readonly label: string;
  /** "ticket". */
  readonly one: string;
  /** The first sentence of its comment. */
  readonly help: string | null;
  /** Fields that tell rows apart; empty if the caller may not read all of them. */
  readonly key: readonly string[];
  /** The most telling field of a row; null if rows are known by their key alone. */
  readonly title_field: string | null;
  readonly access: Readonly<Record<'select' | 'insert' | 'update' | 'delete', PortalAccess>>;
  readonly fields: readonly PortalField[];
  readonly machine: PortalMachine | null;
  /** Of a view whose rows each show the key of a row of another entity: the row that a list opens. */
  readonly opens: { readonly entity: string; readonly field: string } | null;
  /** Rows of other entities that point to a row of this one. */
  readonly related: readonly PortalRelated[];
}

export type PortalEditor =
  | 'text'
  | 'long text'
  | 'number'
  | 'money'
  | 'boolean'
  | 'enum'
  | 'date'
  | 'date and time'
  | 'time'
  /** An interval, as PostgreSQL writes it: `1 day 02:30:00`. */
  | 'duration'
  | 'array'
  | 'json'
  | 'reference'
  /** The id of a member's account. */
  | 'member';

export interface PortalField {
  readonly name: string;
  readonly label: string;
  readonly help: string | null;
  readonly editor: PortalEditor;
  readonly readable: boolean;
  /** Absent for values that are no texts: a data call cannot search their characters. */
  readonly searchable?: true;
  /** Absent for values that PostgreSQL cannot order, such as points. */
  readonly sortable?: true;
  /**
   * Of a tsvector or a text with an index for full-text search: the configuration of the index; null for the default of
   * the database.
   */
  readonly full_text?: { readonly configuration: string | null };
  /** Of a date and time without a time zone: the value is the time on the clock of the reader. */
  readonly zoneless?: true;
  /** Whether a new row may be given a value, and whether the value of a row may be changed. */
  readonly insertable: boolean;
  readonly updatable: boolean;
  /** A new row needs a value. */
  readonly required: boolean;
  /** The field can be empty. */
  readonly nullable: boolean;
  /** Of an enum, in the order of the type. */
  readonly values: readonly PortalValue[] | null;
  readonly reference: PortalReference | null;
  readonly rules: readonly PortalRule[];
}

export interface PortalValue {
  readonly value: string;
  readonly label: string;
}

export interface PortalReference {
  /** Id of the entity that the field points to. */
  readonly entity: string;
  /** The field of that entity. */
  readonly field: string;
  /** The foreign key, by which a data call embeds the row. */
  readonly key: string;
}

/** A rule of chapter 5 over one field. */
export interface PortalRule {
  /** The constraint, as an error of PostgreSQL names it. */
  readonly name: string;
  readonly words: string;
  /** JSON Schema keywords that a valid value fulfils; null if only PostgreSQL can check the rule. */
  readonly schema: PortalRuleSchema | null;
}

export interface PortalRuleSchema {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly enum?: readonly string[];
}

export interface PortalMachine {
  readonly field: string;
  readonly initial: string;
  readonly states: readonly (PortalValue & { readonly final: boolean })[];
  /** Those that the roles of the caller may make. The row decides whether one is open. */
  readonly transitions: readonly PortalTransition[];
}

export interface PortalTransition {
  readonly name: string;
  readonly label: string;
  /** Null: from any state. */
  readonly from: readonly string[] | null;
  readonly to: string;
  /** Fields that need a value and that the caller may write. */
  readonly requires: readonly string[];
  /** The condition in words; null if there is none, or if the words would name what the caller may not read. */
  readonly when: string | null;
}

export interface PortalRelated {
  /** Id of the entity whose rows point here. */
  readonly entity: string;
  /** The field that points here. */
  readonly field: string;
  /** Of a table that only links two entities: the field that points to the other one. */
  readonly link: string | null;
}
