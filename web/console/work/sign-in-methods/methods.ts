/** The panel of phone numbers and texts, as the address of the page names it. */
export const PHONE = 'phone';

/** The panel of a provider that is added. */
export const NEW = 'new';
