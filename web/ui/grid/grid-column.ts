export interface GridColumn {
  id: string;
  name: string;
  /** Beside the name: "text", "fk". */
  type?: string;
  /** In px. */
  width: number;
  numeric?: boolean;
  /** Where rows can be ordered by it. */
  sort?: 'ascending' | 'descending' | 'none';
}

/** Rows that can be ticked. */
export interface Picking {
  /** Whether a row is ticked; null where it cannot be. */
  picked: (row: number) => boolean | null;
  toggle: (row: number) => void;
  all: 'all' | 'some' | 'none';
  toggleAll: () => void;
  /** What a row is called: "Select TK-20418". */
  name: (row: number) => string;
}
