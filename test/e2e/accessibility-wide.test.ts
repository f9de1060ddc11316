import { checkDialogs, checkPages } from './accessible-pages.ts';

checkPages('wide');
checkDialogs();
