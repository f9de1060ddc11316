import cluster from 'node:cluster';
import { runCli } from './cli/program.ts';
import { runWorker } from './cli/worker.ts';

/** The entry of every process of a node: a worker when the primary forked it, else a command. */
if (cluster.isWorker) await runWorker();
else await runCli(process.argv);
