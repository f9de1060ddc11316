/** The origin of a part of a chapter. */
export interface Source {
  /** The kind of origin: the system catalog, a setting of the app, or the code of Ninefold. */
  kind: 'catalog' | 'setting' | 'code';
  /** The origin in words. */
  label: string;
  /** SQL that shows the origin or changes it. */
  sql?: string;
}
