import { checkPages } from './accessible-pages.ts';

checkPages('phone');
