import type { Target } from '../database/target.ts';
import { type AppRecord, ownerRole } from './app-record.ts';
import type { Server } from './server.ts';

/** The app's owner: what migrations and the SQL page run as. */
export const ownerOf = (server: Server, record: AppRecord): Target => ({
  host: server.target.host,
  port: server.target.port,
  socketFolder: server.target.socketFolder,
  tls: server.target.tls,
  database: record.database,
  user: ownerRole(record.ref),
  password: record.ownerPassword,
  applicationName: 'ninefold-owner',
  obeysDatabase: true,
});
