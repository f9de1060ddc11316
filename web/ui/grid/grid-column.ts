export interface GridColumn {
  id: string;
  name: string;
  /** Type of the column, which the head shows after the name: "text", "fk". */
  type?: string;
  /** Width in px. */
  width: number;
  numeric?: boolean;
  /** How the rows are sorted by this column; absent if they cannot be sorted by it. */
  sort?: 'ascending' | 'descending' | 'none';
}

/** The selection of rows by checkboxes. */
export interface Picking {
  /** Returns true if the row is selected; null if it cannot be selected. */
  picked: (row: number) => boolean | null;
  toggle: (row: number) => void;
  all: 'all' | 'some' | 'none';
  toggleAll: () => void;
  /** Returns the name of a row for the label of its checkbox, for example "TK-20418" in "Select TK-20418". */
  name: (row: number) => string;
}
