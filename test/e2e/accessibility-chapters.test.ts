import { chapterViews, checkDialogs, checkPages } from './accessible-pages.ts';

checkPages(chapterViews);
checkDialogs();
