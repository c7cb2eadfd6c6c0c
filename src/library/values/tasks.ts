import { z } from 'zod'
import { checkFields } from '../../../base/errors/check-fields.js'
import { PipelineError } from '../../../base/errors/errors.js'
import type { Json } from '../../../base/values/canonical-json.js'
import { present } from '../../../base/values/present.js'
import { offeredFunctions } from '../../../cache/code/offered-functions.js'
import type { AttemptFact, JsonObject } from '../../../cache/records.js'
import type { NextQuestion, RoundState } from '../../../stages/input/tasks/doc.js'
import { functionsIn, taskBrand, type TaskValue } from '../../../stages/input/tasks/task-value.js'
import { isDatasetValue, processDocs, rows, type DatasetValue } from './datasets.js'
import { promptMessages, simplePrompt, type Prompt } from '../prompt-parts.js'
import { fields, kinds } from '../options/check-options.js'
import { filterKeys, metricKeys, type FilterSteps } from '../options/scoring-keys.js'
import type { AnyMetric, ScoredFields } from './values.js'

/** Sets how answers are generated. An absent option leaves the model's default. */
export interface GenerationOptions {
  /** Maximum length of an answer in tokens. */
  readonly maxNewTokens?: number
  /** @default 0 */
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly seed?: number
  /** Texts that end an answer. */
  readonly stop?: string | readonly string[]
  /** Additional arguments of the backend, by its own names. */
  readonly extra?: JsonObject
  /** Maximum rounds of `generate_until_agentic`. @default 12 */
  readonly maxAgenticSteps?: number
}

/** Examples before each question. */
export interface FewshotOptions<Doc> {
  /** The number of examples. */
  readonly numFewshot: number
  /** The docs to choose from. @default those of `split` */
  readonly samples?: readonly Doc[]
  /** The split of the dataset to choose from. */
  readonly split?: string
  /** `default` chooses at random, `first_n` takes the first ones. @default 'default' */
  readonly sampler?: 'default' | 'first_n'
}

/** Options of every task. */
export interface TaskOptions<Doc> {
  /** The name of the task in stores, in reports and on the command line. */
  readonly name: string
  /**
   * `import.meta.url`: the file that identifies the task's code, together with its relative imports. It is not needed in a file that is named on
   * the command line.
   */
  readonly module?: string
  /** `jsonl()`, `csv()`, `parquet()`, `hub()`, `rows()`, or an iterable of docs. */
  readonly dataset: DatasetValue<Doc> | AsyncIterable<Doc>
  /** Returns the prompt of a doc. */
  readonly prompt: (doc: Doc) => Prompt
  /** Returns the options of a doc. The task then requests the likelihood of each, unless `output` says otherwise. */
  readonly choices?: (doc: Doc) => readonly string[]
  /**
   * Returns the next question after each answer, or null at the end of the conversation: a text, messages, or an object with more fields.
   * Metrics read the last answer as `text`, and all answers as `bodies[0].outputs`.
   */
  readonly next?: (doc: ScoredFields<NoInfer<Doc>>, state: RoundState) => NextQuestion | Promise<NextQuestion>
  /**
   * The output that is requested from the model. The last two need `next`; an agent has `generation.maxAgenticSteps`
   * rounds.
   *
   * @default `multiple_choice` with `choices`, `generate_until_multi_round` with `next`, otherwise `generate_until`
   */
  readonly output?:
    'generate_until' | 'multiple_choice' | 'loglikelihood' | 'generate_until_multi_round' | 'generate_until_agentic'
  readonly generation?: GenerationOptions
  /** Number of answers to each prompt. @default 1 */
  readonly repeats?: number
  /** Filters that are applied to an answer before scoring. Several pipelines have names, and each metric is computed for each of them. */
  readonly filters?: FilterSteps<NoInfer<Doc>> | Readonly<Record<string, FilterSteps<NoInfer<Doc>>>>
  /** A text before the question. */
  readonly description?: string
  readonly fewshot?: FewshotOptions<NoInfer<Doc>>
  /** Doc fields. Scores are also reported for each of their values. */
  readonly breakdown?: readonly (keyof NoInfer<Doc> & string)[]
  /** Docs with equal values of this field are dependent, which the standard error takes into account. */
  readonly cluster?: keyof NoInfer<Doc> & string
  /** Facts of the attempts that metrics of your own read as `attempt`. Scores then depend on them. Built-in metrics declare theirs. @default none */
  readonly scoreAttempts?: readonly AttemptFact[]
  /** The name in tables. */
  readonly alias?: string
  readonly tags?: readonly string[]
  /** Stored with the task, without effect. */
  readonly metadata?: JsonObject
}

const { text, callback: work } = kinds
const { any } = fields
const source = z.custom(value => typeof value === 'object' && value !== null)
const taskFields = {
  ...{ name: text, module: any, dataset: source.describe('a dataset, such as jsonl(…) or rows(…)') },
  ...{ prompt: work, target: work.optional(), choices: work.optional(), next: work.optional(), output: any },
  ...{ generation: any, repeats: any, filters: any, description: any, fewshot: any, breakdown: any, cluster: any },
  metrics: z.record(z.string(), z.unknown()).describe('an object'),
  ...{ scoreAttempts: any, alias: any, tags: any, metadata: any },
} satisfies Record<keyof TaskOptions<never> | 'target' | 'metrics', z.ZodType>

declare const scored: unique symbol

/** A task as a value. Its type knows its docs, its targets and the names of its metrics. */
export interface Task<Doc = unknown, Target = unknown, Metric extends string = string> extends TaskValue {
  /** Exists only as a type, not at run time. */
  readonly [scored]?: { readonly doc: Doc; readonly target: Target; readonly metric: Metric }
}

/** The names of a task's metrics, if its type has them. */
export type MetricsOf<T> = T extends string
  ? string
  : T extends { readonly [scored]?: { readonly metric: infer Metric extends string } }
    ? Metric
    : string

/**
 * Defines a task. It only creates a value: data are read and requests sent when the task is evaluated.
 *
 * `target` must be before `metrics`, which get the type that it returns.
 */
export function defineTask<Doc, Metric extends string>(
  task: TaskOptions<Doc> & {
    readonly target?: never
    readonly metrics: { readonly [Name in Metric]: AnyMetric<NoInfer<Doc>, null> }
  },
): Task<Doc, null, Metric>
export function defineTask<Doc, Target, Metric extends string>(
  task: TaskOptions<Doc> & {
    /** Returns the right answer: a text, several texts, an index of `choices`, or any value that the metrics compare with. */
    readonly target: (doc: Doc) => Target
    /** Metrics by name: built-in metrics, results of `defineMetric`, or functions. Other programs call them scorers. */
    readonly metrics: { readonly [Name in Metric]: AnyMetric<NoInfer<Doc>, Target> }
  },
): Task<Doc, Target, Metric>
export function defineTask<Doc>(
  task: TaskOptions<Doc> & {
    readonly target?: (doc: Doc) => unknown
    readonly metrics: Readonly<Record<string, AnyMetric<Doc, never>>>
  },
): Task<Doc> {
  checkFields(task, taskFields, { label: 'task' })
  const { name, module, dataset: datasetOrRows } = task
  const dataset = isDatasetValue(datasetOrRows) ? datasetOrRows : rows(datasetOrRows as AsyncIterable<object>)
  const keys = { ...taskKeys(task), ...dataset.keys, process_docs: processDocs(dataset) }
  return {
    [taskBrand]: true,
    kind: 'task',
    name,
    ...(module === undefined ? {} : { module }),
    keys: present(keys),
    ...(dataset.rows === undefined ? {} : { rows: dataset.rows }),
    [offeredFunctions]: functionsIn(name, keys),
  }
}

function taskKeys<Doc>(
  task: TaskOptions<Doc> & {
    readonly target?: (doc: Doc) => unknown
    readonly metrics: Readonly<Record<string, AnyMetric<Doc, never>>>
  },
): Readonly<Record<string, unknown>> {
  const { prompt, target, choices, generation, fewshot, repeats } = task
  const output = chooseOutput(task)
  return {
    task: task.name,
    task_alias: task.alias,
    tag: task.tags,
    metadata: task.metadata,
    output_type: output,
    ...promptKeys(prompt, task.next, { isOneText: fewshot !== undefined || task.description !== undefined, output }),
    doc_to_target: target ?? (() => null),
    doc_to_choice: choices,
    description: task.description,
    ...fewshotKeys(fewshot),
    generation_kwargs: generation && generationKeys(generation),
    repeats,
    metric_list: metricKeys(task.metrics),
    filter_list: task.filters && filterKeys(task.filters),
    breakdown: task.breakdown,
    cluster_key: task.cluster,
    score_attempts: task.scoreAttempts,
  }
}

function chooseOutput({
  name,
  output,
  choices,
  next,
}: Pick<TaskOptions<never>, 'name' | 'output' | 'choices' | 'next'>): NonNullable<TaskOptions<never>['output']> {
  const usual = next !== undefined ? 'generate_until_multi_round' : 'generate_until'
  const used = output ?? (choices === undefined ? usual : 'multiple_choice')
  const hasRounds = used === 'generate_until_multi_round' || used === 'generate_until_agentic'
  if (hasRounds === (next !== undefined)) return used
  throw new PipelineError(
    'usage',
    hasRounds
      ? `task ${name}: output ${used} needs next: (doc, state) => …, which returns the next question after each answer`
      : `task ${name}: next is not called with output ${used}. Set output to generate_until_multi_round or generate_until_agentic`,
  )
}

/**
 * Converts the prompt to the keys of a task file. Media and a text always work. If nothing precedes the question, messages are possible as well. They
 * keep the order of texts and media. Examples and a description need the one text.
 */
function promptKeys(
  prompt: (doc: never) => Prompt,
  next: ((doc: never, state: RoundState) => unknown) | undefined,
  { isOneText, output }: { readonly isOneText: boolean; readonly output: string },
): Readonly<Record<string, unknown>> {
  const takesMedia = isOneText || output.startsWith('generate_until')
  const inText = (doc: never): string => {
    const { media, text } = simplePrompt(prompt(doc))
    if (media.length > 0 && !takesMedia) throw new Error(`output ${output} shows media to chat models alone`)
    return text
  }
  const inMessages = (doc: never): unknown => promptMessages(prompt(doc))
  return {
    doc_to_text: withRounds(inText, next),
    doc_to_visual: takesMedia ? (doc: never) => simplePrompt(prompt(doc)).media : undefined,
    doc_to_messages: isOneText ? undefined : withRounds(inMessages, next),
  }
}

/** In a task file, one function asks the first question and, with a state, the next ones. */
const withRounds = (
  first: (doc: never) => unknown,
  next: ((doc: never, state: RoundState) => unknown) | undefined,
): ((doc: never, kwargs: unknown, state?: RoundState) => unknown) =>
  next === undefined ? first : (doc, _kwargs, state) => (state === undefined ? first(doc) : next(doc, state))

function fewshotKeys(fewshot: FewshotOptions<unknown> | undefined): Readonly<Record<string, unknown>> {
  if (fewshot === undefined) return {}
  const { numFewshot, samples, split, sampler } = fewshot
  return {
    num_fewshot: numFewshot,
    fewshot_split: split,
    fewshot_config: present({ sampler, samples: samples && (() => samples) }),
  }
}

function generationKeys({ stop, extra, ...options }: GenerationOptions): Readonly<Record<string, unknown>> {
  const keys: Record<string, Json> = {}
  for (const [name, value] of Object.entries(options))
    keys[name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)] = value
  return present({ ...keys, until: stop, ...extra })
}
