/** One page that explains an app to a reader without technical knowledge, derived from the specification. */
export interface OnePage {
  ref: string;
  name: string;
  /** The first digits of the hash of the specification. */
  version: string;
  purpose: string | null;
  audience: string | null;
  owner: string | null;
  /** The sections that have at least one line. */
  sections: OnePageSection[];
}

export interface OnePageSection {
  title: string;
  lines: OnePageLine[];
  /** Number of lines that the page leaves out, because it would no longer be one page. */
  more: number;
}

export interface OnePageLine {
  /** The name that the line explains; null for a line without one. */
  term: string | null;
  words: string;
}
