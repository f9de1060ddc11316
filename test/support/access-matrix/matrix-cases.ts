import type { MatrixCase } from './matrix-case.ts';
import { casesOfTables } from './matrix-cases-of-tables.ts';
import { casesOfViews } from './matrix-cases-of-views.ts';

export const matrixCases: readonly MatrixCase[] = [...casesOfTables, ...casesOfViews];
