import type { PortableStore } from '../../cache/bundle/portable.js'
import type { Emit } from '../../cache/events.js'
import type { CodeKeyKind, JsonObject, Run } from '../../cache/records.js'
import type { RunCounts, Store } from '../../cache/store.js'
import type { Parity } from '../../stages/judge/parity.js'
import type { DispatchOrder } from '../../stages/model/schedule/loop/dispatch-order.js'
import type { TaskValue } from '../../stages/input/tasks/task-value.js'
import type { Stages } from '../evaluation/settings.js'
import type { JudgeValue, ModelValue } from './values.js'

/** A store that is open. Whoever opened it closes it. */
export type OpenedStore = Store & PortableStore

/** One evaluation: what `pipeline eval` takes as flags, by the same names. Only `model` and `tasks` must be given. */
export interface EvaluateOptions<Tasks extends readonly (string | TaskValue)[] = readonly (string | TaskValue)[]> {
  /** A folder, or a store that is open already and stays so. @default `$PIPELINE_STORE`, else `./.pipeline` */
  readonly store?: string | OpenedStore | Promise<OpenedStore>
  /** A model, such as `openai({ model: 'gpt-4o' })`, or the name of a backend, built in or from a plugin. */
  readonly model: string | ModelValue
  /** Its arguments. Secrets among them are used and never stored. @default {} */
  readonly modelArgs?: Readonly<Record<string, unknown>>
  /** What `defineTask` returned; names, patterns, folders, YAML files, and files of code that export tasks. */
  readonly tasks: Tasks
  /** Over the tasks' own. @default {} */
  readonly genKwargs?: JsonObject
  /** The first docs of each task; below 1, the share of all of them; by task, with `*` for the others. @default all */
  readonly limit?: number | Readonly<Record<string, number>>
  /** Index of the first doc of each task. @default 0 */
  readonly offset?: number
  /** So many docs of each task drawn at random, or this share of them. */
  readonly subset?: number
  /** Seed of the random subset. @default 0 */
  readonly subsetSeed?: number
  /** These docs alone, by task: indices, and ids as texts. */
  readonly samples?: Readonly<Record<string, readonly (number | string)[]>>
  /** One of `of` parts of the docs, from 1. */
  readonly shard?: { readonly index: number; readonly of: number }
  /** Examples before each question, in place of the tasks' own number unless that is 0. */
  readonly numFewshot?: number
  /** Examples as turns of a conversation. @default false */
  readonly fewshotAsMultiturn?: boolean
  /** Seed for choosing examples. @default 1234 */
  readonly fewshotSeed?: number
  /** A message of the system before each conversation. @default none */
  readonly systemInstruction?: string
  /** Samples of each answer, in place of the tasks' own number. */
  readonly repeats?: number
  /** Media, then one text, also where a task has `doc_to_messages`. @default false */
  readonly forceSimple?: boolean
  /** Requests in flight at once, or `adaptive`: as many as the server can handle. @default what arguments or backend say */
  readonly concurrency?: number | 'adaptive'
  /** Upper limit for adaptive concurrency. @default 256 */
  readonly maxConcurrency?: number
  /** What is sent together: what shows the same media and begins the same, what is of similar length, or nothing. @default 'media' */
  readonly order?: DispatchOrder
  /**
   * Send a second copy of a request that takes longer than a percentile of the latencies (`p95`, or `true`), or than a time (`30s`), and
   * take the first answer. @default false
   */
  readonly hedge?: boolean | string
  /** Hand requests in to the provider's batch API, which answers within a day at half the price. @default false */
  readonly batch?: boolean
  /** So many requests a batch at most. @default what the provider takes */
  readonly batchRequests?: number
  /** The longest time between two looks at a batch. Seconds. @default 60 */
  readonly poll?: number
  /** Wait until all batches are through; else `batches` of what came of it are collected by the next call. @default true */
  readonly wait?: boolean
  /** Maximum number of requests, retries and judge calls included. What is over this or another limit has failed with the class `budget`, and is asked the next time. */
  readonly maxRequests?: number
  /** Maximum number of tokens, input and output together. */
  readonly maxTokensTotal?: number
  /** Maximum cost in dollars. */
  readonly maxCost?: number
  /** Send nothing more after this time: milliseconds, or a text such as `90s`, `10m`, `2h`. */
  readonly maxTime?: number | string
  /** Stop after this many requests failed permanently. */
  readonly failFast?: number
  /** A YAML file of prices, over those that come with the program. */
  readonly prices?: string
  /** Servers of the Model Context Protocol whose tools the model may call: command lines, and addresses. @default none */
  readonly mcp?: readonly string[]
  /** A file of such servers (`mcpServers`). */
  readonly tools?: string
  /** Rounds of calls at most before an answer. @default 10 */
  readonly maxToolRounds?: number
  /** Timeout of one tool call, in seconds. @default 60 */
  readonly toolTimeout?: number
  /** The model that is asked where a task's score needs one. @default none */
  readonly judge?: ModelValue | JudgeValue
  /** The name of the backend that is asked where a task's score needs a model. @default none */
  readonly judgeModel?: string
  /** Its arguments. @default {} */
  readonly judgeArgs?: Readonly<Record<string, unknown>>
  /** Score as this program does where it is known to be wrong, to compare with its numbers. @default none */
  readonly parity?: Parity
  /** Folders of further tasks. @default [] */
  readonly includePaths?: readonly string[]
  /** Files or packages with further backends, metrics, filters and aggregations. @default [] */
  readonly plugins?: readonly string[]
  /** Also ask again what failed in a permanent class. @default false */
  readonly retryFailed?: boolean
  /** A numbered repeat, where the same options would be the same run. @default false */
  readonly newRun?: boolean
  /** New samples instead of stored answers. @default false */
  readonly fresh?: boolean
  /** What stands for a built-in backend's code in keys. @default 'revision' */
  readonly codeKey?: CodeKeyKind
  /** A name of your own for the code, instead. */
  readonly codeVersion?: string
  /** Which of the stages work. @default all three */
  readonly stages?: Stages
  /** What happens, as it happens. */
  readonly onEvent?: Emit
  /** Which run it is, as soon as that is known, with what the store has of it already. */
  readonly onRun?: (run: Run, isNew: boolean, counts: RunCounts) => void
  /** Aborted: stop now. What is answered is kept, and the same call goes on with the rest. */
  readonly signal?: AbortSignal
  /** Aborted: finish what is in flight, start nothing new. */
  readonly drain?: AbortSignal
  /** The same as `signal`. */
  readonly stop?: AbortSignal
}
