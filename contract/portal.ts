import type { PartValue, ScreenKind } from './description.ts';
import type { FileField } from './file-fields.ts';

/** A sign-in provider: a site whose accounts can sign in to the app. */
export interface PortalProvider {
  /** The name of the provider in `GET /auth/v1/authorize?provider=`. */
  readonly id: string;
  readonly title: string;
}

/**
 * The reply of `GET /portal/v1/app`: what the portal shows before a member has signed in. All of it is public: other
 * calls of the app return the same data without a session.
 */
export interface PortalApp {
  readonly ref: string;
  /** The name from `ninefold.describe_app`, or else the name with which the app was created. */
  readonly name: string;
  readonly purpose: string | null;
  readonly audience: string | null;
  /** The accent colour, such as `#1f6feb`, and below it the logo, a `data:` URL. `ninefold.set_look` sets both. */
  readonly accent: string | null;
  readonly logo: string | null;
  readonly publishable_key: string;
  /** The enabled methods of sign-in: `email`, `passkey` and `providers`. */
  readonly email: boolean;
  readonly passkey: boolean;
  readonly providers: readonly PortalProvider[];
  /** True if anyone can create an account. */
  readonly sign_up: boolean;
  /** True if new accounts need not confirm their e-mail address. */
  readonly autoconfirm: boolean;
  readonly password_min_length: number;
  /** Number of digits of a code in a mail. */
  readonly code_digits: number;
  /** How long a link or a code in a mail is valid, in seconds. */
  readonly code_seconds: number;
  /** True if members can add an authenticator app. */
  readonly totp: boolean;
  /** True if members can link accounts at providers to their own account, and unlink them. */
  readonly linking: boolean;
  /** True if other applications can use this app as a sign-in provider. */
  readonly applications: boolean;
  /**
   * True if the app has a public bucket `avatars`. Members upload their picture into it, below a folder with their id, if
   * a policy lets them.
   */
  readonly avatars: boolean;
  /** True if the app has rules of notifications. */
  readonly notifies: boolean;
  /** True if the app's origin serves a front end of the app's own outside `/account`. */
  readonly has_site: boolean;
}

/**
 * The reply of `GET /portal/v1/screens`: the screens of chapter 2 that the caller may open, and the parts of their
 * entities that the caller may read or write. The reply contains no other names. Labels are in sentence case.
 */
export interface PortalScreens {
  /** Labels of the member roles that the caller has. */
  readonly roles: readonly string[];
  readonly navigation: readonly PortalGroup[];
  /** The route of the first page; null if the first page is a list of links to the screens. */
  readonly home: string | null;
  readonly screens: readonly PortalScreen[];
  readonly pages: readonly PortalPage[];
  readonly entities: readonly PortalEntity[];
}

/** A group of links in the navigation; the first group has no title. */
export interface PortalGroup {
  readonly title: string | null;
  /** Routes of the screens in the group. */
  readonly routes: readonly string[];
}

/** A saved view of a list: the search, filters and order that a member has saved as an entry of `/portal/v1/views`. */
export interface PortalView {
  /** Route of the list. */
  readonly route: string;
  readonly name: string;
  /** The query string of the list's address, without `?`. */
  readonly search: string;
}

/** A view of a list that a member shares with other members. */
export interface PortalSharedView extends PortalView {
  readonly id: string;
  /** Label of the role whose members see the view; null if all members who can open the list see it. */
  readonly role: string | null;
  /** True if the caller shares the view, and so can remove it. */
  readonly is_own: boolean;
}

/** The reply of `GET /portal/v1/shared-views`. */
export interface PortalSharedViews {
  readonly views: readonly PortalSharedView[];
  /** The roles of the caller, with which the caller can share; null if the caller may not share views. */
  readonly roles: readonly { readonly name: string; readonly label: string }[] | null;
}

/** The body of `PUT /portal/v1/shared-views`. */
export interface PortalViewToShare extends PortalView {
  /** Name of a role of the caller; null for all members who can open the list. */
  readonly role: string | null;
}

/**
 * The reply of `GET /portal/v1/rights`: whether the policies let the caller change and delete one row. Null if the server
 * cannot find this out before the change.
 */
export interface PortalRights {
  readonly update: boolean | null;
  readonly delete: boolean | null;
}

/** The reply of `GET /portal/v1/additions`: ids of the entities to which the policies let the caller add no row at all. */
export interface PortalAdditions {
  readonly closed: readonly string[];
}

export interface PortalScreen {
  /**
   * Path of the screen, such as `/tickets/:id`. A part that starts with a colon stands for a field of the row's key.
   */
  readonly route: string;
  readonly title: string;
  readonly kind: ScreenKind;
  /** Id of the entity whose rows the screen shows. */
  readonly entity: string;
  /** Fields that the screen shows. The caller may read them; for a form, the caller may write them. */
  readonly columns: readonly string[];
  /**
   * The filter of the rows, in the syntax of a data call, with the id of the caller in place of `auth.uid()`; null if the
   * screen shows all rows that the caller may read.
   */
  readonly filter: string | null;
  /** The order of the rows, as the parameter `order` of a data call. */
  readonly order: string | null;
  /** The field by whose values a list groups its rows. */
  readonly group: string | null;
  /** Ids of the entities whose related rows a detail lists; null if it lists all entities that refer to the row. */
  readonly related: readonly string[] | null;
  /** For a calendar: the fields with the start and the end of a row. */
  readonly span: { readonly start: string; readonly end: string } | null;
  /** For a gallery: the field with the picture of a row; null if the rows have none. */
  readonly picture: string | null;
  /** The words of the app that stand in place of rows if there are none. */
  readonly empty: string | null;
  /** For a calendar: the rows that it shows and adds. Null for all other screens. */
  readonly calendar: PortalCalendar | null;
  /** The functions that the caller may call from the screen. */
  readonly actions: readonly PortalAction[];
}

/** A page of several parts, with those parts that the caller may see. */
export interface PortalPage {
  readonly route: string;
  readonly title: string;
  readonly parts: readonly PortalPart[];
}

/** A part that shows rows of an entity. */
interface PortalPartRows {
  /** Position of the part in the definition of the page, which names it in `GET /portal/v1/figures`. */
  readonly index: number;
  readonly title: string;
  readonly entity: string;
  /** The filter of the rows, as in `PortalScreen`. */
  readonly filter: string | null;
}

export type PortalPart =
  /** Markdown. */
  | { readonly kind: 'text'; readonly text: string }
  /** Links to screens and pages that the caller may open, and to pages of the account. */
  | { readonly kind: 'buttons'; readonly routes: readonly string[] }
  | ({
      readonly kind: 'number';
      readonly value: PartValue['value'];
      readonly of: string | null;
      readonly over: string | null;
    } & PortalPartRows)
  | ({
      readonly kind: 'bars';
      readonly value: PartValue['value'];
      readonly of: string | null;
      readonly by: string;
    } & PortalPartRows)
  | ({
      readonly kind: 'line';
      readonly value: PartValue['value'];
      readonly of: string | null;
      readonly over: string;
      readonly by: string | null;
    } & PortalPartRows)
  | ({
      readonly kind: 'list';
      readonly columns: readonly string[];
      readonly order: string | null;
      readonly rows: number;
    } & PortalPartRows);

/** The rows and times of a calendar. */
export interface PortalCalendar {
  /**
   * Id of the entity whose rows the calendar shows completely, adds and moves: the entity of the screen, or the table
   * behind a view of taken times. Null if the caller may not read these rows.
   */
  readonly rows: string | null;
  /**
   * Id of a view that shows only the times of the rows of all callers, and what they are of. Null if there is none.
   */
  readonly taken: string | null;
  /** The reference by which the calendar is divided, such as the room of a booking: its field, and the referenced key. */
  readonly of: { readonly field: string; readonly entity: string; readonly key: string } | null;
  readonly free: PortalFreeTimes | null;
  /** True for a visitor if members may add rows. */
  readonly invites: boolean;
}

/** A function that returns the free times between two times, in fields with the names of the calendar's span. */
export interface PortalFreeTimes {
  /** The schema to send with the call; null for the first schema of the API, which is the default. */
  readonly schema: string | null;
  readonly name: string;
  /** The argument that receives the key of the row by which the calendar is divided; null if it is not divided. */
  readonly of: string | null;
  readonly from: string;
  readonly to: string;
}

/** The numbers of days for which `GET /portal/v1/figures` computes the figures of a page. */
export const figurePeriods = [7, 30, 365] as const;
export type FigurePeriod = (typeof figurePeriods)[number];

/** The end of a value of figures that is too long to be sent completely. */
export const CUT = '…';

/** A number, or the least or greatest value of a field of another type; null if there are no rows. */
export type FigureValue = number | string | null;

/**
 * The reply of `GET /portal/v1/figures?route=/desk&days=30&zone=Europe/Berlin`: the numbers, bars and lines of one page,
 * computed from the rows that the caller may read.
 */
export interface PortalFigures {
  /** The first and the last day of the period in the time zone of the request, such as `2026-03-29`. */
  readonly from: string;
  readonly to: string;
  readonly parts: readonly PortalFigure[];
}

/** A part that is computed from rows. */
export type ComputedPart = Extract<PortalPart, { kind: 'number' | 'bars' | 'line' }>;

/** Returns true for a part that is computed from rows. */
export const isComputedPart = (part: PortalPart): part is ComputedPart =>
  part.kind === 'number' || part.kind === 'bars' || part.kind === 'line';

/** A part of a draft, and the relation that its rows are in. A builder asks for its figure by `parts` in place of `route`. */
export interface DraftPart {
  readonly part: ComputedPart;
  readonly entity: Pick<PortalEntity, 'name' | 'schema'>;
}

/** Returns the computed parts of a page, each with its relation. Undefined if the caller has no page with the route. */
export const computedParts = ({ pages, entities }: PortalScreens, route: string | null): DraftPart[] | undefined =>
  pages
    .find((page) => page.route === route)
    ?.parts.filter(isComputedPart)
    .flatMap((part) => {
      const entity = entities.find(({ id }) => id === part.entity);
      return entity ? [{ part, entity: { name: entity.name, schema: entity.schema } }] : [];
    });

export type PortalFigure = {
  /** The `index` of the part. */
  readonly index: number;
} & (
  | {
      readonly kind: 'number';
      readonly value: FigureValue;
      /** The value of the period before, which has the same number of days. Absent for a number without `over`. */
      readonly before?: FigureValue;
    }
  | {
      readonly kind: 'bars';
      /** The value of all rows together. */
      readonly total: FigureValue;
      /** The largest values, the largest first. */
      readonly bars: readonly { readonly by: unknown; readonly value: FigureValue }[];
      /** Number of values of the field that have no bar. */
      readonly further: number;
    }
  | {
      readonly kind: 'line';
      /** The days of the points; for a period of a year, the Mondays of its weeks. */
      readonly at: readonly string[];
      /** A line for each value of `by`, that with the most rows first. Without `by`, a single line. */
      readonly lines: readonly { readonly by: unknown; readonly values: readonly FigureValue[] }[];
      /** Number of values of `by` that have no line. */
      readonly further: number;
    }
  /** The part could not be computed. */
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
);

/** A function that a screen offers as a button. */
export interface PortalAction {
  /** The schema to send with the call; null for the first schema of the API, which is the default. */
  readonly schema: string | null;
  readonly name: string;
  readonly label: string;
  readonly help: string | null;
  /** The arguments that the member enters, as fields of a form. */
  readonly fields: readonly PortalField[];
  /**
   * On a detail, a list, a gallery or a board: the argument that receives the key of a shown row, and the key field from
   * which its value comes. Null if the function takes no row of the screen.
   */
  readonly row: { readonly argument: string; readonly field: string } | null;
  /** Id of the entity to which the returned row belongs; null if the function returns no row. */
  readonly returns: string | null;
}

/**
 * An operation on an entity: whether the caller may use it on some rows. The condition of a policy is not included,
 * because its values are not for members: an address, or a secret that a header must contain.
 */
export interface PortalAccess {
  readonly open: boolean;
}

export interface PortalEntity {
  readonly id: string;
  /** The schema to send with a data call; null for the first schema of the API, which is the default. */
  readonly schema: string | null;
  readonly name: string;
  /** The label of several rows: "Tickets". */
  readonly label: string;
  /** The label of one row: "ticket". */
  readonly one: string;
  /** The first sentence of the comment on the entity. */
  readonly help: string | null;
  /** Fields that identify a row; empty if the caller may not read all of them. */
  readonly key: readonly string[];
  /**
   * The fields whose values describe a row best, in their order: its title, or the first and the last name of a person.
   * Empty if only the key identifies a row.
   */
  readonly title_fields: readonly string[];
  readonly access: Readonly<Record<'select' | 'insert' | 'update' | 'delete', PortalAccess>>;
  readonly fields: readonly PortalField[];
  readonly machine: PortalMachine | null;
  /**
   * For a view whose rows each contain the key of a row of another entity: this other entity, and the view's field that
   * contains the key. In a list of the view, a row opens the row of the other entity.
   */
  readonly opens: { readonly entity: string; readonly field: string } | null;
  /** Other entities whose rows refer to a row of this entity. */
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
  /** Paths of files: see `files` of the field. */
  | 'files'
  | 'reference'
  /** The id of a member's account. */
  | 'member';

export interface PortalField {
  readonly name: string;
  readonly label: string;
  readonly help: string | null;
  readonly editor: PortalEditor;
  /**
   * The form of the values of a field of the key, so that an address without such a value sends no request. Such a value
   * tells a reader nothing. Absent for other forms and other fields.
   */
  readonly shape?: 'integer' | 'uuid';
  /**
   * Absent for fields that the member fills in. `caller`: the policies accept a new row only with the id of the caller's
   * account, so the pages set it. `database`: the time of the insert or of a change, which forms leave out unless their
   * screen names it.
   */
  readonly filled_by?: 'caller' | 'database' | 'policy';
  /** The value that the policies require in a new row, for `filled_by: 'policy'`. */
  readonly fixed?: string;
  readonly readable: boolean;
  /** True if the values are strings, so that a data call can search them for characters. Absent otherwise. */
  readonly searchable?: true;
  /** True if PostgreSQL can order the values. Absent for values that it cannot order, such as points. */
  readonly sortable?: true;
  /**
   * For a tsvector, or a text with an index for full-text search: the configuration of the search; null for the default
   * of the database.
   */
  readonly full_text?: { readonly configuration: string | null };
  /** True for a text in which @ and the name of a member tells the member. */
  readonly mentions?: true;
  /** For a date and time without a time zone: true if the value is the time on the clock of the reader. */
  readonly zoneless?: true;
  /**
   * True if a new row may have a value for the field. `updatable`: true if the value of an existing row may be changed.
   */
  readonly insertable: boolean;
  readonly updatable: boolean;
  /** True if a new row needs a value for the field. */
  readonly required: boolean;
  /** True if the field can be empty. */
  readonly nullable: boolean;
  /**
   * The constant that a new row gets if it has no value for the field: true, a value of an enum, a number or a short
   * text as PostgreSQL reads it. Absent for other defaults.
   */
  readonly initial?: true | string;
  /** Present if a new row without a value for the field gets the id of the caller's account. */
  readonly initial_is_caller?: true;
  /** For an enum: its values, in the order of the type. Null for other types. */
  readonly values: readonly PortalValue[] | null;
  /** Present for a range of PostgreSQL: what its bounds are. */
  readonly range?: 'date' | 'date and time' | 'local date and time' | 'number' | 'whole number';
  /** For the editor `files`: the files that the field holds. Absent for all others. */
  readonly files?: FileField;
  readonly reference: PortalReference | null;
  readonly rules: readonly PortalRule[];
}

export interface PortalValue {
  readonly value: string;
  readonly label: string;
}

export interface PortalReference {
  /** Id of the entity to which the field refers. */
  readonly entity: string;
  /** The field of that entity to which the field refers. */
  readonly field: string;
  /** Name of the foreign key, with which a data call embeds the referenced row. */
  readonly key: string;
}

/** A rule of chapter 5 about a single field. */
export interface PortalRule {
  /** Name of the constraint, as PostgreSQL's error reports it. */
  readonly name: string;
  readonly words: string;
  /** JSON Schema keywords with which the form checks a value; null if only PostgreSQL can check the rule. */
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
  /**
   * Null if a row's computed fields `transitions` and `state_changes` are readable, so that the server decides for each
   * row which transitions are possible. Otherwise the names of the transitions that depend on values which the caller
   * may not read: they are not offered. The complete row must be readable, and no field may have one of these names.
   */
  readonly undecided: readonly string[] | null;
  /** The transitions that the caller's roles may use. The state of a row decides which of them are possible for it. */
  readonly transitions: readonly PortalTransition[];
}

export interface PortalTransition {
  readonly name: string;
  readonly label: string;
  /** The states in which the transition can start; null if it can start in any state. */
  readonly from: readonly string[] | null;
  readonly to: string;
  /** Fields that must have a value for the transition and that the caller may write. */
  readonly requires: readonly string[];
  /** Fields that must already have a value, because the caller may read them but not write them. Absent if there are none. */
  readonly presumes?: readonly string[];
  /**
   * The condition of the transition, in words. Null if there is none, or if the words would contain names that the
   * caller may not read.
   */
  readonly when: string | null;
}

export interface PortalRelated {
  /** Id of the entity whose rows refer to this entity. */
  readonly entity: string;
  /** The field of that entity with the reference. */
  readonly field: string;
  /** For a table that only links two entities: the field that refers to the second entity. Null for other tables. */
  readonly link: string | null;
}
