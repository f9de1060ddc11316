import { type ConnectionConfig, loginAt } from '../database/connection-config.ts';
import { type AppRecord, ownerRole } from './app-record.ts';
import type { Server } from './server.ts';

/** Returns the connection parameters of the app's owner, who runs migrations and the SQL page. */
export const ownerConnection = (server: Server, record: AppRecord): ConnectionConfig => ({
  ...loginAt(server.target, {
    database: record.database,
    user: ownerRole(record.ref),
    password: record.ownerPassword,
    applicationName: 'ninefold-owner',
  }),
  obeysDatabase: true,
});
