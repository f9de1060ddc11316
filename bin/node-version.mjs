// Every entry point imports this file first. It uses only syntax that an old Node.js can read, so that it can report
// which version is required.
import process from 'node:process';

const parts = process.versions.node.split('.').map(Number);

if (parts[0] < 20 || (parts[0] === 20 && parts[1] < 19)) {
  console.error(
    `Ninefold needs Node.js 20.19 or newer, and this is ${process.versions.node}: install a newer one from https://nodejs.org and run the command again.`,
  );
  process.exit(1);
}
