import process from 'node:process';
import { startSite } from './server.ts';

const { APP_URL: url, APP_KEY: key, PORT: port = '5173' } = process.env;
if (!url || !key) throw new Error('Set APP_URL to the address of the app, and APP_KEY to its publishable key.');
await startSite({ url, key }, Number(port));
process.stdout.write(`http://localhost:${port}\n`);
