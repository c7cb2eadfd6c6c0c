import type { CommandEntry } from './command.js'

/** All commands, in the order of the help. */
export const commandTable: readonly CommandEntry[] = [
  {
    name: 'init',
    summary: 'write a first task and configuration, and print the line to run',
    load: async () => (await import('./commands/init.js')).defineInit,
  },
  {
    name: 'eval',
    summary: 'evaluate a model on tasks: read docs, send requests, score answers, print results',
    load: async () => (await import('./commands/eval.js')).defineEval,
  },
  {
    name: 'infer',
    summary: 'send requests and store the answers, without scoring',
    load: async () => (await import('./commands/infer.js')).defineInfer,
  },
  {
    name: 'judge',
    summary: 'score the answers of a run or an exported file, for the first time or again',
    load: async () => (await import('./commands/judge.js')).defineJudge,
  },
  {
    name: 'watch',
    summary: 'score again whenever a file of a task is saved',
    load: async () => (await import('./commands/watch.js')).defineWatch,
  },
  {
    name: 'resume',
    summary: 'finish an interrupted run',
    load: async () => (await import('./commands/resume.js')).defineResume,
  },
  {
    name: 'runs',
    summary: 'list, watch, tag and remove the runs of the store',
    load: async () => (await import('./commands/runs/runs.js')).defineRuns,
  },
  {
    name: 'report',
    summary: 'show results and samples of a run',
    load: async () => (await import('./commands/report/report.js')).defineReport,
  },
  {
    name: 'track',
    summary: 'send results of runs to experiment trackers',
    load: async () => (await import('./commands/transfer/track.js')).defineTrack,
  },
  {
    name: 'labels',
    summary: 'list and edit labels that people give answers: right, wrong, unclear',
    load: async () => (await import('./commands/labels.js')).defineLabels,
  },
  {
    name: 'compare',
    summary: 'compare two runs doc by doc: which is better, and how sure that is',
    load: async () => (await import('./commands/comparing/compare.js')).defineCompare,
  },
  {
    name: 'blame',
    summary: 'split the difference of two runs by model, prompt, parameters, targets and rules',
    load: async () => (await import('./commands/comparing/blame.js')).defineBlame,
  },
  {
    name: 'recheck',
    summary: 'send a part of a run again, to see whether the endpoint still answers alike',
    load: async () => (await import('./commands/comparing/recheck.js')).defineRecheck,
  },
  {
    name: 'repro',
    summary: 'print the command line that repeats a run, and what differs now',
    load: async () => (await import('./commands/comparing/repro.js')).defineRepro,
  },
  {
    name: 'stability',
    summary: 'measure how far the repeats of a run agree, and name docs to look at',
    load: async () => (await import('./commands/comparing/stability.js')).defineStability,
  },
  {
    name: 'power',
    summary: 'compute how many docs a comparison needs, or the smallest difference that docs show',
    load: async () => (await import('./commands/comparing/power.js')).definePower,
  },
  {
    name: 'export',
    summary: 'write a run to one file, for another machine',
    load: async () => (await import('./commands/transfer/export.js')).defineExport,
  },
  {
    name: 'verify',
    summary: 'check an exported file against its signed certificate',
    load: async () => (await import('./commands/transfer/verify.js')).defineVerify,
  },
  {
    name: 'import',
    summary: 'import exported runs, or logs of other tools, into the store',
    load: async () => (await import('./commands/transfer/import.js')).defineImport,
  },
  {
    name: 'media',
    summary: 'list and compare the media and frames that runs showed',
    load: async () => (await import('./commands/transfer/media.js')).defineMedia,
  },
  {
    name: 'tasks',
    summary: 'list, show, check and create tasks',
    load: async () => (await import('./commands/tasks/tasks.js')).defineTasks,
  },
  {
    name: 'models',
    summary: 'list model backends and show their arguments',
    load: async () => (await import('./commands/models.js')).defineModels,
  },
  {
    name: 'config',
    summary: 'show what a configuration file means, and where each value comes from',
    load: async () => (await import('./commands/config.js')).defineConfig,
  },
  {
    name: 'cache',
    summary: 'measure and check the store, and explain repeated requests',
    load: async () => (await import('./commands/cache.js')).defineCache,
  },
  {
    name: 'ui',
    summary: 'show runs and samples in a browser',
    load: async () => (await import('./commands/service/ui.js')).defineUi,
  },
  {
    name: 'serve',
    summary: 'run evaluations as jobs over HTTP',
    load: async () => (await import('./commands/service/serve.js')).defineServe,
  },
  {
    name: 'worker',
    summary: 'run jobs of a service, or of pipeline eval --detach',
    load: async () => (await import('./commands/service/worker.js')).defineWorker,
  },
  {
    name: 'launch',
    summary: 'write or submit a job of workers for Slurm or Kubernetes',
    load: async () => (await import('./commands/service/launch.js')).defineLaunch,
  },
  {
    name: 'mcp',
    summary: 'offer evaluations as tools to agents',
    load: async () => (await import('./commands/service/mcp.js')).defineMcp,
  },
  {
    name: 'completion',
    summary: 'print a script with which a shell completes commands, flags, tasks, models and runs',
    load: async () => (await import('./commands/completion.js')).defineCompletion,
  },
  {
    name: 'version',
    summary: 'print the versions of program, commit and Node',
    load: async () => (await import('./commands/version.js')).defineVersion,
  },
]
