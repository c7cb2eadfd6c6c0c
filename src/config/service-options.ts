/** Options of `pipeline serve`, `pipeline worker` and `pipeline mcp`. */
import { z } from 'zod'
import { PipelineError } from '../../base/errors/errors.js'
import { jobStages, type JobStage } from '../../cache/store/job-store.js'
import { option, type FlagsOf } from './option.js'
import { port, text, texts, whole, yesNo } from './values/option-values.js'

const forService = { isIdentity: false, stored: 'no' } as const

/** Options that limit what jobs may name. Everything is refused that is not allowed here. */
export const jobPolicyOptions = {
  allowDir: option({
    flag: '--allow-dir <dir>',
    help: 'jobs may name files below this folder: tasks, plugins, models; may be repeated',
    ...texts('a folder, or a list of folders'),
    isPath: true,
    ...forService,
  }),
  allowUrl: option({
    flag: '--allow-url <url>',
    help: 'jobs may send requests to this address and below: model servers, tools, webhooks; may be repeated',
    ...texts('an address, or a list of addresses'),
    ...forService,
  }),
  secret: option({
    flag: '--secret <name=variable>',
    help: 'jobs may use this environment variable of the server as "secret:NAME"; may be repeated',
    ...texts('NAME=VARIABLE, or a list of these'),
    ...forService,
  }),
  allowCommands: option({
    flag: '--allow-commands',
    help: 'jobs may start programs: model engines, and tools that are given as command lines',
    ...yesNo,
    ...forService,
  }),
}

/** The number of jobs that run at a time. */
export const workOptions = {
  maxJobs: option({
    flag: '--max-jobs <n>',
    help: 'jobs that run at the same time in this process and its workers (2)',
    ...whole(0),
    ...forService,
  }),
  maxJobsPerModel: option({
    flag: '--max-jobs-per-model <n>',
    help: 'jobs of one model that run at the same time, over all workers of the store',
    ...whole(1),
    ...forService,
  }),
}

/** Arguments that a worker adds to those of each job's model. */
export const modelArgsFlag = {
  modelArgs: option({
    flag: '--model-args <args>',
    help: "arguments over those of each job's model: the address of this machine's engine, or an API key; may be repeated",
    ...texts('arguments of a model, or a list of them'),
    ...forService,
  }),
}

const expectedStages = 'input, model or judge, with commas between'

function readStages(text: string, before: readonly JobStage[] | undefined, flag: string): readonly JobStage[] {
  const words = new Set([...(before ?? []), ...text.split(',').map(word => word.trim())])
  const stages = jobStages.filter(stage => words.has(stage))
  if (stages.length === words.size) return stages
  throw new PipelineError('usage', `${flag}: expected ${expectedStages}, given ${JSON.stringify(text)}`)
}

/** The stages that a worker does. */
export const stagesFlag = {
  stages: option({
    flag: '--stages <stages>',
    help: 'do only these stages of jobs: input, model, judge, with commas between (all); other workers do the rest',
    read: readStages,
    file: z.array(z.enum(jobStages)).describe(expectedStages),
    ...forService,
  }),
}

/** Options for the life of one worker. */
export const workerOptions = {
  ...stagesFlag,
  ...modelArgsFlag,
  idle: option({
    flag: '--idle <seconds>',
    help: 'end after this time without a job (never)',
    ...whole(1),
    ...forService,
  }),
  jobs: option({ flag: '--jobs <n>', help: 'end after this number of jobs (never)', ...whole(1), ...forService }),
  aliveFile: option({
    flag: '--alive-file <file>',
    help: 'touch this file every 5 seconds, for a liveness probe',
    ...text('a file'),
    ...forService,
  }),
}

/** Options for the address and the access of the server. */
export const serverOptions = {
  host: option({
    flag: '--host <address>',
    help: 'the address to listen on (127.0.0.1); any other needs tokens',
    ...text('an address'),
    ...forService,
  }),
  port: option({ flag: '--port <n>', help: 'the port (7310); 0 takes a free one', ...port, ...forService }),
  allowHost: option({
    flag: '--allow-host <name>',
    help: 'a further name by which clients address the server; may be repeated',
    ...texts('a name, or a list of names'),
    ...forService,
  }),
  allowOrigin: option({
    flag: '--allow-origin <url>',
    help: 'a web site whose pages may use the service; may be repeated',
    ...texts('an origin, or a list of origins'),
    ...forService,
  }),
  requireToken: option({
    flag: '--require-token',
    help: 'ask for a token on 127.0.0.1, too, for example behind a proxy',
    ...yesNo,
    ...forService,
  }),
  maxQueue: option({
    flag: '--max-queue <n>',
    help: 'maximum number of waiting jobs (10000)',
    ...whole(1),
    ...forService,
  }),
  keepJobs: option({
    flag: '--keep-jobs <n>',
    help: 'number of ended jobs that are kept (10000); their runs stay in the store',
    ...whole(1),
    ...forService,
  }),
  maxBodyKb: option({
    flag: '--max-body-kb <n>',
    help: 'the largest request, in KiB (1024)',
    ...whole(1),
    ...forService,
  }),
  maxRate: option({
    flag: '--max-rate <n>',
    help: 'requests per second of one client (1000)',
    ...whole(1),
    ...forService,
  }),
}

/** Options for the address and the start of the viewer. */
export const uiOptions = {
  port: option({
    flag: '--port <n>',
    help: 'the port (7300, or the next free one); 0 takes any free one',
    ...port,
    ...forService,
  }),
  host: option({
    flag: '--host <address>',
    help: 'the address to listen on (127.0.0.1); other names of it need --allow-host',
    ...text('an address'),
    ...forService,
  }),
  allowHost: serverOptions.allowHost,
  open: option({
    flag: '--no-open',
    help: 'print the address only, and open no browser',
    ...yesNo,
    ...forService,
  }),
  readOnly: option({
    flag: '--read-only',
    help: 'change nothing: store no label or tag, and start no run',
    ...yesNo,
    ...forService,
  }),
}

export type JobPolicyFlags = FlagsOf<typeof jobPolicyOptions>
export type WorkFlags = FlagsOf<typeof workOptions>
export type ServerFlags = FlagsOf<typeof serverOptions>

/** The flags of `pipeline ui`. */
export type UiFlags = FlagsOf<typeof uiOptions> &
  JobPolicyFlags &
  WorkFlags & {
    readonly store?: string
    readonly includePath?: readonly string[]
    readonly plugin?: readonly string[]
  }
