import cluster from 'node:cluster';

/**
 * Entry point of every process of a node: a forked process runs the worker, any other one a command. Each loads only
 * the modules that it needs.
 */
if (cluster.isWorker) await (await import('./cli/worker.ts')).runWorker();
else await (await import('./cli/program.ts')).runCli(process.argv);
