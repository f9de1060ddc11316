import { type ComponentType, createContext } from 'react';
import type { PortalField } from '../../contract/portal.ts';

export interface ReferenceControlProps {
  id: string;
  /** Accessible name, if the field has no visible label. */
  label?: string | undefined;
  field: PortalField;
  value: string;
  /** Label of the chosen row, if it is known. */
  chosen: string | null;
  describedBy: string | undefined;
  isWrong: boolean;
  onChange: (value: string) => void;
}

/** Context with the control of references. Each application reads the rows in its own way. */
export const ReferenceControlContext = createContext<ComponentType<ReferenceControlProps> | null>(null);
