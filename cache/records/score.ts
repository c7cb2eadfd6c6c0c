/** What the judge reads of a doc, and what it makes of it. */
import type { Json } from '../../base/values/canonical-json.js'
import type { AnswerDigest, CodeKey, JudgeConfigKey, RecordKey, ResponseKey } from '../digest.js'
import type { Failure } from './failure.js'
import type { JsonObject } from './messages.js'
import type { CodeManifest, GenerationKwargs, Input } from './request.js'
import type { ResponseBody } from './response.js'
import type { ScoringRules } from './stored-task.js'

/** What the judge may know of a doc: never media. */
export interface JudgeRecord {
  readonly target: Json
  readonly choices?: readonly string[]
  /** The doc's non-media fields, as `process_results` sees them. */
  readonly doc: JsonObject
}

/** What one metric made of one doc, and how it came to it. */
export interface ScoreBody {
  /**
   * `scored`: every metric has a value. `unparsed`: the answer could not be read, `values` hold what the benchmark
   * counts for that. `judge_failed`, `error`: there is no value, and the doc lowers the coverage.
   */
  readonly outcome: 'scored' | 'unparsed' | 'judge_failed' | 'error'
  /** By `metric` or `metric,filter`. A number, or what the metric's aggregation needs instead. */
  readonly values: { readonly [metric: string]: Json }
  /** What was read out of the answer, by filter pipeline (`none` where there is one without a name). */
  readonly extracted: { readonly [filter: string]: Json }
  /** Why it is not `scored`. */
  readonly reason?: string | undefined
  /** Where `unparsed` is true of some of the values only: their names. */
  readonly unparsed?: readonly string[] | undefined
  /** The model answered with nothing but white space and reasoning. */
  readonly empty?: boolean | undefined
  /** The answer was cut off at its limit of tokens. */
  readonly cut?: boolean | undefined
  /** The provider's reason to stop, where that is none that is known. */
  readonly ending?: string | undefined
  /** Characters of reasoning, apart from the answer or in tags in it, where there are any. */
  readonly reasoning?: number | undefined
  /** Labels for the breakdown: `{type: "color"}`. */
  readonly groups?: { readonly [field: string]: string } | undefined
  /** What it has in common with other docs, so that they are not independent: the value of the field `cluster_key`. */
  readonly cluster?: string | undefined
}

/** One number of the report with what is needed to trust it. */
export interface Aggregate {
  /** Of a group, its name. */
  readonly task: string
  /** The tasks that it is made of, where it is a group's. */
  readonly of?: readonly string[]
  readonly metric: string
  readonly filter: string
  /** Absent for the whole task. */
  readonly group?: { readonly field: string; readonly label: string }
  readonly value: number | null
  readonly stderr: number | null
  /** 95 % confidence interval. */
  readonly interval: readonly [number, number] | null
  /**
   * `wilson`: Wilson's, on the effective sample size where values are not all 0 or 1. `t`: Student's. `clustered`: Student's with the
   * cluster-robust error; `clustered_wilson`: Wilson's on the effective sample size of clusters.
   */
  readonly intervalMethod: 'wilson' | 't' | 'clustered' | 'clustered_wilson' | 'none'
  readonly higherIsBetter: boolean
  /** Docs that have a value. */
  readonly n: number
  /** Docs of the task (of the group). */
  readonly total: number
  readonly unparsed: number
  readonly empty: number
  /** Docs whose answer was cut off at its limit of tokens, and those of them that are empty; absent for none. */
  readonly cut?: number
  readonly emptyCut?: number
  /** Docs by the provider's reason to stop their answer, of reasons that are not known; absent for none. */
  readonly endings?: { readonly [reason: string]: number }
  /** Docs whose answer has reasoning, and how many characters it has in all of them; absent for none. */
  readonly reasoned?: number
  readonly reasoningCharacters?: number
  /** Between these the value would lie whatever the missing docs were; only where `n` < `total` and the range is known. */
  readonly bounds?: readonly [number, number]
  /** What else must be said with the number so that others can meet it again, such as sacrebleu's signature. */
  readonly note?: string
  /** Why there is no value, though docs have theirs. */
  readonly error?: string
}

/** How one task is judged. Its two keys, with responses and judge record, make the score key. */
export interface TaskJudging {
  readonly config: ScoringRules
  readonly scorer: CodeManifest
}

/** One pass of scores over a run: `RUN@1`, `RUN@2`. */
export interface Judgement {
  readonly ref: number
  readonly run: number
  /** From 1, within its run. */
  readonly number: number
  readonly tasks: readonly {
    readonly judging: TaskJudging
    readonly config: JudgeConfigKey
    readonly scorer: CodeKey
  }[]
  readonly createdAt: number
  /** Set when every doc that could be scored was, and the aggregates were stored. */
  readonly finishedAt?: number
  readonly aggregates?: readonly Aggregate[]
}

/** A doc's answer to one of its requests. */
export interface Answer {
  readonly choice: number
  readonly sample: number
  readonly key: ResponseKey
  readonly digest: AnswerDigest
  readonly body: ResponseBody
}

/** All that the judge reads of one doc. */
export interface AnsweredDoc {
  /** Index into the run's tasks. */
  readonly task: number
  /** Index in the task's dataset, after `process_docs`. */
  readonly index: number
  readonly id: string
  readonly recordKey: RecordKey
  readonly record: JudgeRecord
  /** In the order of choice, then sample. */
  readonly answers: readonly Answer[]
}

/** A model's call on behalf of a judge; the composition root gives the function, so that no stage knows another. */
export type Ask = (request: {
  readonly input: Input
  readonly generation: GenerationKwargs
  readonly sample?: number
}) => Promise<
  { readonly type: 'answered'; readonly body: ResponseBody } | { readonly type: 'failed'; readonly failure: Failure }
>
