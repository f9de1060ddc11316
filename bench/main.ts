/**
 * Measures a node. In the same run, each measurement is compared with its limit, which is the same work without
 * Ninefold. Prints Markdown tables; docs/performance.md has their latest figures. Arguments select measurements by name; without
 * arguments, all measurements run.
 */
import { mkdirSync } from 'node:fs';
import { cpus } from 'node:os';
import { measureApps } from './apps.ts';
import { measureAuth, measureFlood } from './auth.ts';
import { measureBackup } from './backup.ts';
import { measureCalls } from './calls.ts';
import { measureCrash } from './crash.ts';
import { CONNECTIONS, WORKERS } from './figures.ts';
import { measureFiles } from './files.ts';
import { measureFunctions } from './functions.ts';
import { measureLinks } from './links.ts';
import { measureMembers } from './members.ts';
import { measureMixed } from './mixed.ts';
import { measureNeighbours } from './neighbours.ts';
import { measurePages } from './pages.ts';
import { measurePortal } from './portal.ts';
import { measureProbe } from './probe.ts';
import { measureRealtime } from './realtime.ts';
import { measureSchema } from './schema-change.ts';
import { measureDerivation, measureSpecification } from './specification.ts';
import { measureStart } from './start.ts';
import { measureStorage } from './storage.ts';

const measures: Readonly<Record<string, () => Promise<void>>> = {
  apps: measureApps,
  auth: measureAuth,
  backup: measureBackup,
  calls: measureCalls,
  crash: measureCrash,
  derivation: measureDerivation,
  files: measureFiles,
  flood: measureFlood,
  functions: measureFunctions,
  links: measureLinks,
  members: measureMembers,
  mixed: measureMixed,
  neighbours: measureNeighbours,
  pages: measurePages,
  portal: measurePortal,
  probe: measureProbe,
  realtime: measureRealtime,
  schema: measureSchema,
  specification: measureSpecification,
  start: measureStart,
  storage: measureStorage,
};

mkdirSync('.tmp/bench', { recursive: true });
process.stdout.write(
  `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node.js ${process.versions.node}, ${WORKERS} workers, ${CONNECTIONS} connections\n\n`,
);
const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(measures);
for (const name of wanted) {
  const measure = measures[name];
  if (!measure) throw new Error(`nothing is called ${name}; there are ${Object.keys(measures).join(', ')}`);
  await measure();
}
