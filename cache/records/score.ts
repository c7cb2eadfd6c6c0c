/** Defines judge records, scores and aggregates. */
import type { Json } from '../../base/values/canonical-json.js'
import type { AnswerDigest, CodeKey, JudgeConfigKey, RecordKey, ResponseKey } from '../digest.js'
import type { Failure } from './failure.js'
import type { JsonObject } from './messages.js'
import type { CodeManifest, GenerationKwargs, Input } from './request.js'
import type { ResponseBody } from './response.js'
import type { ScoringRules } from './stored-task.js'

/** Facts about a doc's values that JSON cannot represent, for scoring functions in Python. Keys and items are JSON pointers into the doc. */
export interface RecordMarks {
  /** Pointers to whole floating-point numbers: `3.0`, not `3`. */
  readonly floats?: readonly string[]
  /** Pointers to media. The value there is the medium's message part. */
  readonly media?: readonly string[]
  /** Values without a JSON form, such as dates and decimals, in wire form, by pointer. */
  readonly wire?: { readonly [place: string]: Json }
}

/** The fields of a doc for the judge. It references media only if the task needs them. */
export interface JudgeRecord extends RecordMarks {
  readonly target: Json
  /** Texts that Python prints differently from JSON: `3.0`, `1.50`. Absent if there are none. */
  readonly printed?: {
    /** The texts of the targets. */
    readonly target?: readonly string[]
    /** The texts of fields by which scores are grouped. */
    readonly fields?: { readonly [name: string]: string }
  }
  readonly choices?: readonly string[]
  /** The number of media of examples, which come before those of the question. Absent if the examples show none. */
  readonly exampleMedia?: number
  /** The doc's fields, as `process_results` sees them. Media are left out unless `media` lists them. */
  readonly doc: JsonObject
}

/** The scores of one doc, and how they were reached. */
export interface ScoreBody {
  /**
   * `scored`: every metric has a value. `unparsed`: the answer could not be read, and `values` holds what the benchmark
   * counts for that. `judge_failed`, `error`: a value is missing, which lowers the coverage of its metric. The first value
   * that failed decides which of the two it is. Whether the other values are there, `failed` tells.
   */
  readonly outcome: 'scored' | 'unparsed' | 'judge_failed' | 'error'
  /** The values by `metric` or `metric,filter`. Each is a number or the input of the metric's aggregation. */
  readonly values: { readonly [metric: string]: Json }
  /** The extracted answers by filter pipeline. `none` stands for a pipeline without a name. */
  readonly extracted: { readonly [filter: string]: Json }
  /** The reason for an outcome other than `scored`. */
  readonly reason?: string | undefined
  /** The names of the `unparsed` values, if there are others, too. */
  readonly unparsed?: readonly string[] | undefined
  /**
   * The reasons of the values that failed, by name. Absent if all failed, or none. Versions before it gave a doc no value
   * at all if one failed.
   */
  readonly failed?: { readonly [metric: string]: string } | undefined
  /** True if the answer holds only white space and reasoning. */
  readonly empty?: boolean | undefined
  /** True if the answer was cut off at its token limit. */
  readonly cut?: boolean | undefined
  /** True if the judges of a panel gave different values. */
  readonly disputed?: boolean | undefined
  /** The provider's finish reason, if it is not a known one. */
  readonly ending?: string | undefined
  /** The number of characters of reasoning, separate from the answer or in tags inside it. */
  readonly reasoning?: number | undefined
  /** Labels for the breakdown: `{type: "color"}`. */
  readonly groups?: { readonly [field: string]: string } | undefined
  /** The value of the doc's `cluster_key` field. Docs with the same value are not independent. */
  readonly cluster?: string | undefined
}

/**
 * The method of a 95 % interval. `wilson`: Wilson's, on the effective sample size if values other than 0 and 1 occur.
 * `t`: Student's. `clustered`: Student's with the cluster-robust error. `clustered_wilson`: Wilson's on the effective
 * sample size of clusters. `order`: between two of the sorted values. `bca`: the bias-corrected and accelerated
 * bootstrap. `block_bca`: the same with many docs drawn in random blocks. `…bca_fixed`: the same for scores of docs
 * that are not computed again for a resample. `clustered_…`: whole clusters are the units. `confidence_sequence`: by
 * betting, valid at any number of docs.
 */
export type IntervalMethod =
  'none' | 'confidence_sequence' | `${'' | 'clustered_'}${'wilson' | 'order' | BootstrapMethod}` | 't' | 'clustered'

/** The method of a bootstrap interval of independent docs. */
export type BootstrapMethod = `${'' | 'block_'}bca${'' | '_fixed'}`

/** One number of the report, with what is needed to trust it. */
export interface Aggregate {
  /** The name of the task or group. */
  readonly task: string
  /** The tasks of a group. Absent for a task. */
  readonly of?: readonly string[]
  readonly metric: string
  readonly filter: string
  /** The part of the docs that the number covers. Absent for the whole task. */
  readonly group?: { readonly field: string; readonly label: string }
  readonly value: number | null
  readonly stderr: number | null
  /** 95 % confidence interval. */
  readonly interval: readonly [number, number] | null
  readonly intervalMethod: IntervalMethod
  /** The range that Wilson's interval stays within. @default [0, 1] */
  readonly intervalRange?: readonly [number, number]
  readonly higherIsBetter: boolean
  /** The number of docs that have a value. */
  readonly n: number
  /**
   * The number of different answers behind these docs. Docs with equal requests share one. Absent if each doc has its
   * own.
   */
  readonly draws?: number
  /** The number of clusters of docs that show one medium. Absent if no docs share one, or the task has a `cluster_key`. */
  readonly media?: number
  /** The number of docs in the task, or in `group`. */
  readonly total: number
  readonly unparsed: number
  readonly empty: number
  /** Docs whose answer was cut off at its token limit, and how many of these answers are empty. Absent if there are none. */
  readonly cut?: number
  readonly emptyCut?: number
  /** Docs by the provider's finish reason, for unknown reasons only. Absent if there are none. */
  readonly endings?: { readonly [reason: string]: number }
  /** Docs whose answer has reasoning, and the total number of its characters. Absent if there are none. */
  readonly reasoned?: number
  readonly reasoningCharacters?: number
  /** The lowest and highest value that the missing docs could lead to. Only if `n` < `total` and the metric's range is known. */
  readonly bounds?: readonly [number, number]
  /** Facts of a run with a stop condition. */
  readonly stopping?: {
    /** The number of docs that the run could ask. */
    readonly docs: number
    /** The mean paired difference from the run that the condition names. */
    readonly difference?: { readonly run: string; readonly value: number; readonly interval: readonly [number, number] }
  }
  /** The facts that others need to reproduce the number, such as sacrebleu's signature. */
  readonly note?: string
  /** The reason why there is no value, although docs have theirs. */
  readonly error?: string
  /** The judge models that were named for the metric, such as `openai gpt-4o`. Absent if it asks none. */
  readonly judges?: readonly string[]
  /** Agreement of a panel of judges. Absent without a panel. */
  readonly panel?: {
    /** The number of docs that each judge gave a value. */
    readonly docs: number
    /** Those of them whose judges differ. */
    readonly disputed: number
    /** Krippendorff's alpha of the values as numbers: 1 is perfect agreement, 0 is chance. Null if it is undefined. */
    readonly alpha: number | null
  }
}

/** Says how one task is judged. These two keys, the responses and the judge record make up the score key. */
export interface TaskJudging {
  readonly config: ScoringRules
  readonly scorer: CodeManifest
}

/** One scoring of a run: `RUN@1`, `RUN@2`. */
export interface Judgement {
  readonly ref: number
  readonly run: number
  /** The judgement's number within its run, from 1. */
  readonly number: number
  readonly tasks: readonly {
    readonly judging: TaskJudging
    readonly config: JudgeConfigKey
    readonly scorer: CodeKey
  }[]
  readonly createdAt: number
  /** Set when every doc that can be scored has a score and the aggregates are stored. */
  readonly finishedAt?: number
  readonly aggregates?: readonly Aggregate[]
}

/** The answer to one request of a doc. */
export interface Answer {
  readonly choice: number
  readonly sample: number
  readonly key: ResponseKey
  readonly digest: AnswerDigest
  readonly body: ResponseBody
  /** Set if scoring reads it. It is then a part of the score's key. */
  readonly attempt?: AttemptFacts | undefined
}

/** Facts of an attempt by which answers can be scored. */
export type AttemptFact = 'latency' | 'cost'

/** Facts of the attempt that gave an answer, as far as scoring may know them. An answer that came from the store has those of the attempt that was made. */
export interface AttemptFacts {
  /** The duration of the attempt that was answered. Absent if it is unknown or says nothing, as in a batch. */
  readonly seconds?: number | undefined
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly cachedTokens?: number | undefined
  readonly audioTokens?: number | undefined
  /** True if the request was a part of a batch, which has another price. */
  readonly isBatch?: boolean | undefined
}

/** Everything that the judge reads of one doc. */
export interface AnsweredDoc {
  /** Index into the run's tasks. */
  readonly task: number
  /** Index in the task's dataset, after `process_docs`. */
  readonly index: number
  readonly id: string
  readonly recordKey: RecordKey
  readonly record: JudgeRecord
  /** The answers in the order of choice, then sample. */
  readonly answers: readonly Answer[]
}

/** Calls a model on behalf of a judge. The composition root supplies the function, so that no stage imports another. */
export type Ask = (request: {
  readonly input: Input
  readonly generation: GenerationKwargs
  readonly sample?: number
}) => Promise<
  { readonly type: 'answered'; readonly body: ResponseBody } | { readonly type: 'failed'; readonly failure: Failure }
>
