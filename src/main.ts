import cluster from 'node:cluster';

/** The entry of every process of a node: a worker when the primary forked it, else a command. Each loads only what it runs. */
if (cluster.isWorker) await (await import('./cli/worker.ts')).runWorker();
else await (await import('./cli/program.ts')).runCli(process.argv);
