/** All options of an evaluation, by group. option.ts explains the entries. */
import { resolve } from 'node:path'
import { z } from 'zod'
import { codeKeyKinds } from '../../cache/records.js'
import { parities } from '../../stages/judge/define/parity.js'
import { dispatchOrders } from '../../stages/model/schedule/loop/dispatch-order.js'
import { hedgeIn, hedgeInProgram, hedgeValue, settledHedge, writtenHedge, type HedgeFlag } from './hedge.js'
import { limitOptions } from './limits.js'
import { option, type Kept, type SettingsOf } from './option.js'
import { argumentMap, text, texts, whole, wholeNumber, word, yesNo, seconds } from './option-values.js'
import { seedIn, seedValue } from './seed.js'
import { selectionOptions } from './selection.js'
import { systemInstruction } from './system-instruction.js'
import { toolOptions } from './tool-servers.js'

/** Options that say which model is evaluated on which tasks. Programs give their values in another form. */
export const subjectOptions = {
  model: option({
    flag: '--model <name>',
    help: 'the model backend   (pipeline models list)',
    ...text('the name of a model backend'),
    isIdentity: true,
    stored: 'given',
  }),
  modelArgs: option({
    flag: '--model-args <args>',
    help: 'its arguments: a=1,b=x or JSON; may be repeated',
    ...argumentMap('a mapping of arguments, or a text such as a=1,b=x'),
    isIdentity: true,
    stored: 'given',
  }),
  tasks: option({
    flag: '--tasks <names>',
    help: 'tasks, by name, pattern, folder or file, with commas between   (pipeline tasks list)',
    docs: 'tasks, by name, pattern, folder or file, with commas between   (pipeline tasks list); `list`, `list_subtasks`, `list_groups`, `list_tags`, `list_with_num` list names and evaluate nothing',
    ...texts('a task, or a list of tasks'),
    isPath: true,
    isIdentity: true,
    stored: 'given',
  }),
}

/** Generation kwargs are merged name by name. */
export const generationOptions = {
  genKwargs: option({
    flag: '--gen-kwargs <args>',
    help: "generation kwargs over the tasks' own: temperature=0.7,max_new_tokens=64",
    ...argumentMap('a mapping of generation kwargs, or a text such as temperature=0'),
    isIdentity: true,
    stored: 'given',
  }),
}

export const storeOptions = {
  store: option({
    flag: '--store <dir>',
    help: 'the store; else $PIPELINE_STORE, else .pipeline',
    docs: 'the store; else `$PIPELINE_STORE`, else `./.pipeline`',
    ...text('a folder'),
    isPath: true,
    isIdentity: false,
    stored: 'no',
  }),
}

export const taskFolderOptions = {
  includePath: option({
    flag: '--include-path <dir>',
    help: 'a folder of tasks of your own; may be repeated',
    ...texts('a folder, or a list of folders'),
    isPath: true,
    isIdentity: true,
    stored: (folders: readonly string[], { cwd }: Kept) => folders.map(folder => resolve(cwd, folder)),
  }),
}

export const pluginOptions = {
  plugin: option({
    flag: '--plugin <file>',
    help: 'a file or package with backends or metrics of your own; may be repeated',
    ...texts('a file or package, or a list of them'),
    isPath: true,
    isIdentity: true,
    stored: (plugins: readonly string[], { cwd }: Kept) =>
      plugins.map(plugin => (/^\.{0,2}\//.test(plugin) ? resolve(cwd, plugin) : plugin)),
  }),
}

/** How docs become prompts. */
export const promptOptions = {
  /** Number of examples before each question; overrides the tasks' number unless that is 0. */
  numFewshot: option({
    flag: '--num-fewshot <n>',
    help: "examples before each question, in place of the tasks' own number unless that is 0",
    ...whole(0),
    isIdentity: true,
    stored: 'given',
  }),
  /** Examples as turns of a conversation. @default false */
  fewshotAsMultiturn: option({
    flag: '--fewshot-as-multiturn',
    help: 'examples as turns of a conversation, instead of one text',
    ...yesNo,
    isIdentity: true,
    stored: 'unless-default',
  }),
  /** A system message before each conversation. @default none */
  systemInstruction: option({
    flag: '--system-instruction <text>',
    help: 'a system message before each conversation, or a file that holds it',
    docs: 'a system message before each conversation, unless the task has one of its own; or a file that holds it',
    ...text('a text, or a file of it'),
    program: { schema: z.string().describe('a text'), read: (given: string): string => given },
    settle: (given: string): string | undefined => (given === '' ? undefined : systemInstruction(given)),
    isIdentity: true,
    stored: 'given',
  }),
  /** Number of samples of each answer; overrides the tasks' number. */
  repeats: option({
    flag: '-n, --repeats <n>',
    help: "samples of each answer, in place of the tasks' own number   (also --num-samples)",
    docs: "samples of each answer, in place of the tasks' own number; `--num-samples` is another name",
    ...whole(1),
    isIdentity: true,
    stored: 'given',
  }),
  /** Seed for choosing examples. @default 1234 */
  fewshotSeed: option({
    flag: '--fewshot-seed <n>',
    help: 'seed for choosing examples (1234)',
    ...whole(0),
    isIdentity: true,
    stored: 'given',
  }),
  /** Send media, then one text, and ignore `doc_to_messages`. @default false */
  forceSimple: option({
    flag: '--force-simple',
    help: 'media, then one text, also where a task has a conversation of its own (doc_to_messages)',
    ...yesNo,
    isIdentity: true,
    stored: 'unless-default',
  }),
}

const concurrencyExpected = 'a whole number, 1 or more, or "adaptive"'

/** How requests are sent; `resume` has these, too. */
export const sendingOptions = {
  /** Number of requests in flight, or `adaptive`: as many as the server can handle. @default the model arguments' or the backend's */
  concurrency: option({
    flag: '--concurrency <n>',
    help: 'requests in flight at once, or "adaptive": as many as the server can handle',
    docs: 'requests in flight at once, or `adaptive`: [as many as the server can handle](models.md#concurrency-and-pace)',
    read: (given: string): number | 'adaptive' =>
      given === 'adaptive' ? given : wholeNumber('--concurrency', { min: 1, expected: concurrencyExpected })(given),
    file: z.union([z.int().positive(), z.literal('adaptive')]).describe(concurrencyExpected),
    isIdentity: false,
    stored: 'given',
  }),
  /** Upper limit for adaptive concurrency. @default 256 */
  maxConcurrency: option({
    flag: '--max-concurrency <n>',
    help: 'upper limit for adaptive concurrency (256)',
    ...whole(1),
    isIdentity: false,
    stored: 'given',
  }),
  /** Which requests are sent next to each other: those with the same media and beginning, those of similar length, or none. @default 'media' */
  order: option({
    flag: '--order <kind>',
    help: 'what is sent together: the same "media", then the same beginning (default); similar "length"; "none"',
    docs: 'the order in which pending requests are sent: `media` (the same media, then the same beginning, then similar length; default), `length`, `none`',
    ...word(dispatchOrders),
    isIdentity: false,
    stored: 'given',
  }),
  /**
   * Send a second copy of a request that takes longer than a percentile of the latencies (`p95`, or `true`), or than a time (`30s`), and
   * take the first answer. @default false
   */
  hedge: option({
    flag: '--hedge [when]',
    help: 'send a second copy of what takes longer than a percentile of the latencies (p95), or than a time such as 30s; the first answer is taken',
    docs: 'send a second copy of what takes longer than a percentile of the latencies (`p95`, default) or than a time (`30s`), and take the first answer; see [hedging](models.md#hedging)',
    off: { flag: '--no-hedge', help: 'send none, where the run was started with it' },
    read: hedgeIn,
    file: hedgeValue,
    program: {
      schema: hedgeInProgram,
      read: (given: boolean | string) => settledHedge(typeof given === 'string' ? hedgeIn(given) : given),
    },
    settle: (given: HedgeFlag) => settledHedge(given),
    isIdentity: false,
    stored: writtenHedge,
  }),
  /** Also retry requests that failed permanently. @default false */
  retryFailed: option({
    flag: '--retry-failed',
    help: 'also retry requests that failed permanently (invalid_request, refused, media)',
    ...yesNo,
    isIdentity: false,
    stored: 'no',
  }),
}

/** Batch options are stored, so that `resume` submits the rest in the same way. Whether a command waits is not stored. */
export const batchOptions = {
  /** Submit requests to the provider's batch API, which answers within a day at half the price. @default false */
  batch: option({
    flag: '--batch',
    help: "submit requests to the provider's batch API: cheaper, answered within a day",
    docs: "submit requests to the provider's batch API: cheaper, answered within a day; see [batches](models.md#batches)",
    off: { flag: '--no-batch', help: 'send requests one by one that were not submitted yet' },
    ...yesNo,
    isIdentity: false,
    stored: 'unless-default',
  }),
  /** Maximum number of requests in a batch. @default the provider's maximum */
  batchRequests: option({
    flag: '--batch-requests <n>',
    help: 'maximum number of requests in a batch',
    ...whole(1),
    isIdentity: false,
    stored: (number: number, { settings }: Kept) => (settings['batch'] === true ? number : undefined),
  }),
  /** Longest time between two checks of a batch, in seconds. @default 60 */
  poll: option({
    flag: '--poll <seconds>',
    help: 'check batches at least this often (60)',
    ...seconds,
    isIdentity: false,
    stored: 'no',
  }),
  /** Wait until all batches are complete; else the next call collects the answers of `batches`. @default true */
  wait: option({
    flag: '--wait',
    help: 'wait until all batches are complete (default)',
    off: {
      flag: '--no-wait',
      help: 'submit, collect complete batches, and end with exit code 2; resume collects the rest',
    },
    ...yesNo,
    isIdentity: false,
    stored: 'no',
  }),
}

/** The judge model; its arguments are merged name by name. */
export const judgeOptions = {
  /** The backend of the judge model, for tasks that are scored by a model. @default none */
  judgeModel: option({
    flag: '--judge-model <name>',
    help: 'the model that is asked where a score needs one   (pipeline models list)',
    ...text('the name of a model backend'),
    isIdentity: true,
    stored: 'given',
  }),
  judgeArgs: option({
    flag: '--judge-args <args>',
    help: 'its arguments: model=…,base_url=…; may be repeated',
    ...argumentMap('a mapping of arguments, or a text such as a=1,b=x'),
    isIdentity: true,
    stored: 'given',
  }),
  /** Reproduce the known wrong scores of another program, to compare with its numbers. @default none */
  parity: option({
    flag: '--parity <name>',
    help: 'score as this program does where it is known to be wrong (lmms-eval), to compare with its numbers',
    docs: 'score as this program does where it is known to be wrong (`lmms-eval`), to compare with its numbers; see [parity](parity.md)',
    ...word(parities),
    isIdentity: true,
    stored: 'given',
  }),
}

/** Options that make another run, or other keys. */
export const identityOptions = {
  /** Make a numbered repeat instead of resuming the same run. @default false */
  newRun: option({
    flag: '--new-run',
    help: 'a numbered repeat, where the same line would be the same run',
    ...yesNo,
    isIdentity: true,
    // The number is in the run spec (RunSpec.repeat).
    stored: 'no',
  }),
  /** New samples instead of stored answers. @default false */
  fresh: option({
    flag: '--fresh',
    help: 'ask for new samples instead of taking stored answers',
    ...yesNo,
    isIdentity: true,
    stored: 'unless-default',
  }),
  /** The identity of the backend's code in keys. @default 'revision' */
  codeKey: option({
    flag: '--code-key <kind>',
    help: 'what stands for the backend\'s code in keys: its "revision" (default), its "files", or the "commit"',
    ...word(codeKeyKinds),
    isIdentity: true,
    stored: (kind: (typeof codeKeyKinds)[number]) => (kind === 'revision' ? undefined : kind),
  }),
  /** A name of your own for the code, instead. */
  codeVersion: option({
    flag: '--code-version <text>',
    help: 'your own name for the code, instead',
    ...text(),
    isIdentity: true,
    stored: 'given',
  }),
}

export type PromptSettings = SettingsOf<typeof promptOptions>
export type SendingSettings = SettingsOf<typeof sendingOptions>
export type BatchSettings = SettingsOf<typeof batchOptions>

/** Groups whose values need nothing beyond their entries; the library takes all of these. */
export const plainOptions = {
  ...selectionOptions,
  ...promptOptions,
  ...sendingOptions,
  ...batchOptions,
  ...limitOptions,
  ...toolOptions,
  judgeModel: judgeOptions.judgeModel,
  parity: judgeOptions.parity,
  ...identityOptions,
}

/** Every option of an evaluation. */
export const allOptions = {
  ...subjectOptions,
  ...judgeOptions,
  ...generationOptions,
  ...plainOptions,
  ...taskFolderOptions,
  ...pluginOptions,
  ...storeOptions,
}

/** Options that are no settings of an evaluation: where results are written, and other names of lmms-eval. */
export const lineOptions = {
  outputPath: option({
    flag: '-o, --output-path <dir>',
    help: 'write results.json and throughput.svg there, in a folder named like the run',
    ...text('a folder'),
    isPath: true,
    isIdentity: false,
    stored: 'no',
  }),
  logSamples: option({
    flag: '--log-samples',
    help: 'with --output-path: write each doc with prompt, answer and score, too',
    ...yesNo,
    isIdentity: false,
    stored: 'no',
  }),
}

export const lmmsOptions = {
  predictOnly: option({
    flag: '-x, --predict-only',
    help: 'ask and keep the answers, without scores: as pipeline infer',
    docs: 'ask and keep the answers, without scores: as `pipeline infer`',
    ...yesNo,
    isIdentity: false,
    stored: 'no',
  }),
  maxTokens: option({
    flag: '--max-tokens <n>',
    help: 'as --max-tokens-total; the length of an answer is --gen-kwargs max_new_tokens=…',
    docs: 'as `--max-tokens-total`; the length of an answer is `--gen-kwargs max_new_tokens=…`',
    ...whole(0),
    isIdentity: false,
    stored: 'no',
  }),
  seed: option({
    flag: '--seed <numbers>',
    help: 'one, or up to four with commas between: the fourth is --fewshot-seed, no other draws',
    docs: 'one, or up to four with commas between: the fourth is `--fewshot-seed`, no other draws',
    read: seedIn,
    file: seedValue,
    isIdentity: false,
    stored: 'no',
  }),
}
