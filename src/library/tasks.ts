import type { Json } from '../../base/values/canonical-json.js'
import { present } from '../../base/values/present.js'
import { offeredFunctions } from '../../cache/code/offered-functions.js'
import type { JsonObject } from '../../cache/records.js'
import { functionsIn, taskBrand, type TaskValue } from '../../stages/input/tasks/task-value.js'
import { isDatasetValue, processDocs, rows, type DatasetValue } from './datasets.js'
import { promptMessages, simplePrompt, type Prompt } from './prompt-parts.js'
import { filterKeys, metricKeys, type FilterSteps } from './scoring-keys.js'
import type { AnyMetric } from './values.js'

/** How answers are generated. What is absent is the model's default. */
export interface GenerationOptions {
  /** The longest answer, in tokens. */
  readonly maxNewTokens?: number
  /** @default 0 */
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly seed?: number
  /** Texts that end an answer. */
  readonly stop?: string | readonly string[]
  /** Further arguments of the backend, by its own names. */
  readonly extra?: JsonObject
}

/** Examples that are shown before each question. */
export interface FewshotOptions<Doc> {
  readonly count: number
  /** The docs to choose from. @default those of `split` */
  readonly samples?: readonly Doc[]
  /** The split of the dataset to choose from. */
  readonly split?: string
  /** `default` chooses at random, `first_n` takes the first. @default 'default' */
  readonly sampler?: 'default' | 'first_n'
}

/** What every task says. */
export interface TaskOptions<Doc> {
  /** What the task is called in stores, reports and on the command line. */
  readonly name: string
  /**
   * `import.meta.url`: the file whose code the task is known by, with what that imports by relative path. Not needed in a file that is
   * named on the command line.
   */
  readonly module?: string
  /** `jsonl()`, `csv()`, `parquet()`, `hub()`, `rows()`, or an iterable of docs. */
  readonly dataset: DatasetValue<Doc> | AsyncIterable<Doc>
  /** What the model is shown for a doc. */
  readonly prompt: (doc: Doc) => Prompt
  /** The options of a doc. With it, the task asks for the likelihood of each, unless `output` says otherwise. */
  readonly choices?: (doc: Doc) => readonly string[]
  /** What is asked of the model. @default `multiple_choice` with `choices`, else `generate_until` */
  readonly output?: 'generate_until' | 'multiple_choice' | 'loglikelihood'
  readonly generation?: GenerationOptions
  /** Answers to each prompt. @default 1 */
  readonly repeats?: number
  /** What becomes of an answer before it is scored. Several chains have names, and each metric is given after each of them. */
  readonly filters?: FilterSteps<NoInfer<Doc>> | Readonly<Record<string, FilterSteps<NoInfer<Doc>>>>
  /** A text before the question. */
  readonly description?: string
  readonly fewshot?: FewshotOptions<NoInfer<Doc>>
  /** Fields of the doc by which scores are also given apart. */
  readonly breakdown?: readonly (keyof NoInfer<Doc> & string)[]
  /** The field whose equal values make docs dependent on each other, for the standard error. */
  readonly cluster?: keyof NoInfer<Doc> & string
  /** The name in tables. */
  readonly alias?: string
  readonly tags?: readonly string[]
  /** Kept with the task, and without meaning here. */
  readonly metadata?: JsonObject
}

declare const scored: unique symbol

/** A task as a value. Its type knows its docs, its targets and the names of its metrics. */
export interface Task<Doc = unknown, Target = unknown, Metric extends string = string> extends TaskValue {
  /** Only a type: nothing is here at run time. */
  readonly [scored]?: { readonly doc: Doc; readonly target: Target; readonly metric: Metric }
}

/** The names of a task's metrics, where its type knows them. */
export type MetricsOf<T> = T extends string
  ? string
  : T extends { readonly [scored]?: { readonly metric: infer Metric extends string } }
    ? Metric
    : string

/**
 * Defines a task. Only makes a value: nothing is read or asked until the task is evaluated.
 *
 * `target` stands before `metrics`, which get the type of what it returns.
 */
export function defineTask<Doc, Metric extends string>(
  task: TaskOptions<Doc> & {
    readonly target?: never
    readonly metrics: { readonly [Name in Metric]: AnyMetric<NoInfer<Doc>, null> }
  },
): Task<Doc, null, Metric>
export function defineTask<Doc, Target, Metric extends string>(
  task: TaskOptions<Doc> & {
    /** What is right: a text, several, an index of `choices`, or whatever the metrics compare with. */
    readonly target: (doc: Doc) => Target
    /** Numbers by name: built-in metrics, what `defineMetric` returned, or functions. Other programs call them scorers. */
    readonly metrics: { readonly [Name in Metric]: AnyMetric<NoInfer<Doc>, Target> }
  },
): Task<Doc, Target, Metric>
export function defineTask<Doc>(
  task: TaskOptions<Doc> & {
    readonly target?: (doc: Doc) => unknown
    readonly metrics: Readonly<Record<string, AnyMetric<Doc, never>>>
  },
): Task<Doc> {
  const { name, module, dataset: given } = task
  const dataset = isDatasetValue(given) ? given : rows(given as AsyncIterable<object>)
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
  const output = task.output ?? (choices === undefined ? 'generate_until' : 'multiple_choice')
  return {
    task: task.name,
    task_alias: task.alias,
    tag: task.tags,
    metadata: task.metadata,
    output_type: output,
    ...promptKeys(prompt, { isOneText: fewshot !== undefined || task.description !== undefined, output }),
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
  }
}

/**
 * As a task file has media and a text, and where nothing stands before the question also as messages, which keep the order of texts and
 * media. Examples and a description go into one text, as in a task file.
 */
function promptKeys(
  prompt: (doc: never) => Prompt,
  { isOneText, output }: { readonly isOneText: boolean; readonly output: string },
): Readonly<Record<string, unknown>> {
  const takesMedia = isOneText || output === 'generate_until'
  return {
    doc_to_text: (doc: never) => {
      const { media, text } = simplePrompt(prompt(doc))
      if (media.length > 0 && !takesMedia) throw new Error(`output ${output} shows media to chat models alone`)
      return text
    },
    doc_to_visual: takesMedia ? (doc: never) => simplePrompt(prompt(doc)).media : undefined,
    doc_to_messages: isOneText ? undefined : (doc: never) => promptMessages(prompt(doc)),
  }
}

function fewshotKeys(fewshot: FewshotOptions<unknown> | undefined): Readonly<Record<string, unknown>> {
  if (fewshot === undefined) return {}
  const { count, samples, split, sampler } = fewshot
  return {
    num_fewshot: count,
    fewshot_split: split,
    fewshot_config: present({ sampler, samples: samples && (() => samples) }),
  }
}

function generationKeys({ stop, extra, ...given }: GenerationOptions): Readonly<Record<string, unknown>> {
  const named: Record<string, Json> = {}
  for (const [name, value] of Object.entries(given))
    named[name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)] = value
  return present({ ...named, until: stop, ...extra })
}
