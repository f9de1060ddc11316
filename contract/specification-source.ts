/** Where a part of a chapter comes from. */
export interface Source {
  /** "catalog", "setting", "code". */
  kind: 'catalog' | 'setting' | 'code';
  /** What it is, in words. */
  label: string;
  /** The SQL that shows it or sets it. */
  sql?: string;
}
