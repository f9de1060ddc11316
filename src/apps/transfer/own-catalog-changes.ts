import owner from '../../schema/0003_owner.sql';

/** The statements around the part of 0003_owner.sql that changes who may take advisory locks. */
const BEGIN = 'set local allow_system_table_mods = on;';
const END = 'set local allow_system_table_mods = off;';

/** SQL that lets only the owner and the service role take advisory locks. A released schema file never changes, so its text is used. */
export const restrictAdvisoryLocks = owner.slice(owner.indexOf(BEGIN), owner.indexOf(END) + END.length);
