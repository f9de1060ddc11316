import { checkPages, toolViews } from './accessible-pages.ts';

checkPages(toolViews);
