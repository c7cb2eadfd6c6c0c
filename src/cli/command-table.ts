import type { DefineCommand } from './command.js'

/** A command's name, its summary and the module that defines it. */
export interface CommandEntry {
  readonly name: string
  readonly summary: string
  /** Only the command that is typed is loaded. */
  load(): Promise<DefineCommand>
}

/** All commands, in the order of the help. */
export const commandTable: readonly CommandEntry[] = [
  {
    name: 'eval',
    summary: 'evaluate a model on tasks: read, ask, score, report',
    load: async () => (await import('./commands/eval.js')).defineEval,
  },
  {
    name: 'infer',
    summary: 'ask the model and keep the answers, without scoring',
    load: async () => (await import('./commands/infer.js')).defineInfer,
  },
  {
    name: 'judge',
    summary: 'score, or score again, the answers of a run or an exported file',
    load: async () => (await import('./commands/judge.js')).defineJudge,
  },
  {
    name: 'resume',
    summary: 'do whatever is left of a run',
    load: async () => (await import('./commands/resume.js')).defineResume,
  },
  { name: 'runs', summary: 'what is in the store', load: async () => (await import('./commands/runs.js')).defineRuns },
  {
    name: 'report',
    summary: 'results and samples of a run',
    load: async () => (await import('./commands/report.js')).defineReport,
  },
  {
    name: 'track',
    summary: 'send results of runs to experiment trackers',
    load: async () => (await import('./commands/track.js')).defineTrack,
  },
  {
    name: 'labels',
    summary: 'what people say of answers: right, wrong, unclear',
    load: async () => (await import('./commands/labels.js')).defineLabels,
  },
  {
    name: 'compare',
    summary: 'which of two runs is better, doc by doc',
    load: async () => (await import('./commands/compare.js')).defineCompare,
  },
  {
    name: 'blame',
    summary: 'split the difference of two runs by model, prompt, parameters, targets and rules',
    load: async () => (await import('./commands/blame.js')).defineBlame,
  },
  {
    name: 'recheck',
    summary: 'ask a part of a run again: does the endpoint still answer alike',
    load: async () => (await import('./commands/recheck.js')).defineRecheck,
  },
  {
    name: 'repro',
    summary: 'the command line that makes a run again, and what differs now',
    load: async () => (await import('./commands/repro.js')).defineRepro,
  },
  {
    name: 'stability',
    summary: 'how far the repeats of a run agree, and which docs to look at',
    load: async () => (await import('./commands/stability.js')).defineStability,
  },
  {
    name: 'power',
    summary: 'how many docs a comparison needs, or the smallest difference that docs show',
    load: async () => (await import('./commands/power.js')).definePower,
  },
  {
    name: 'export',
    summary: 'write a run to one file, for another machine',
    load: async () => (await import('./commands/export.js')).defineExport,
  },
  {
    name: 'verify',
    summary: 'check an exported file against its signed certificate',
    load: async () => (await import('./commands/verify.js')).defineVerify,
  },
  {
    name: 'import',
    summary: 'take exported runs into the store',
    load: async () => (await import('./commands/import.js')).defineImport,
  },
  {
    name: 'tasks',
    summary: 'the tasks that can be named',
    load: async () => (await import('./commands/tasks.js')).defineTasks,
  },
  {
    name: 'models',
    summary: 'the model backends',
    load: async () => (await import('./commands/models.js')).defineModels,
  },
  {
    name: 'cache',
    summary: 'the store: size, damage, why something was asked again',
    load: async () => (await import('./commands/cache.js')).defineCache,
  },
  {
    name: 'ui',
    summary: 'look at runs and samples in a browser',
    load: async () => (await import('./commands/ui.js')).defineUi,
  },
  {
    name: 'serve',
    summary: 'evaluations as jobs over HTTP',
    load: async () => (await import('./commands/serve.js')).defineServe,
  },
  {
    name: 'worker',
    summary: 'do the jobs of a service',
    load: async () => (await import('./commands/worker.js')).defineWorker,
  },
  {
    name: 'mcp',
    summary: 'evaluations as tools for agents',
    load: async () => (await import('./commands/mcp.js')).defineMcp,
  },
  {
    name: 'version',
    summary: 'version, commit, Node',
    load: async () => (await import('./commands/version.js')).defineVersion,
  },
]
