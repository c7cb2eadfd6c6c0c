/** Defines what a reader of another tool's log returns. Facts that a log does not state are absent and never guessed. */
import type { Json } from '../../base/values/canonical-json.js'
import type {
  ChatMessage,
  DatasetIdentity,
  JsonObject,
  JudgeRecord,
  StoredConfig,
  StoredScoring,
  RunGroup,
  RunProvenance,
} from '../../cache/records.js'

/** The log of another tool, read sample by sample. */
export interface ForeignLog {
  readonly tool: string
  readonly toolVersion?: string
  /** Every file that belongs to the log. Their digests identify the imported answers. */
  readonly files: readonly string[]
  /** Options with which the files were read. They are part of the log's digest. */
  readonly reading?: Json
  /** Settings that are stored with the runs. */
  readonly config?: StoredConfig
  /** Groups of the tasks, with the code of their functions, if the tasks are this program's. */
  readonly groups?: RunGroups
  tasks(): AsyncIterable<ForeignTask>
}

/** The groups of a run, and their code. */
export interface RunGroups {
  readonly asked: readonly RunGroup[]
  readonly code: NonNullable<RunProvenance['groups']>
}

/** One task of a log, with one model. */
export interface ForeignTask {
  readonly task: string
  /** The task's name in the log and the new names of metrics, if the import renames them. */
  readonly origin?: { readonly task: string; readonly metrics: Readonly<Record<string, string>> }
  readonly model?: string
  readonly modelArgs?: JsonObject
  readonly generation?: JsonObject
  /** An ISO 8601 time. */
  readonly startedAt?: string
  /** The file that holds the task's samples. Messages name it. */
  readonly source: string
  /** The task's configuration in the log. */
  readonly config?: JsonObject
  /** A remark about the log for the user, such as that its evaluation did not end. */
  readonly note?: string
  readonly reported: readonly ReportedScore[]
  /** The rules of one of our tasks, to score the answers with. The log then has no scores. */
  readonly rules?: { readonly scoring: StoredScoring; readonly dataset: DatasetIdentity }
  readonly higherIsBetter?: Readonly<Record<string, boolean>>
  /** The name of each metric's aggregation. Metrics that are absent here are averaged. */
  readonly aggregations?: Readonly<Record<string, string>>
  samples(): AsyncIterable<ForeignSample>
}

/** A number that the log reports for a whole task. */
export interface ReportedScore {
  readonly metric: string
  readonly filter?: string
  readonly value: number
  readonly stderr?: number
  readonly n?: number
  /** The number of digits after the decimal point, where the tool rounds the value. */
  readonly digits?: number
}

/** One sample of another tool's log. */
export interface ForeignSample {
  readonly id: string | number
  /** The doc's index in the dataset, if the log says it. Otherwise an id that is a number is the index. */
  readonly index?: number
  readonly epoch?: number
  readonly doc?: JsonObject
  readonly messages?: readonly ForeignMessage[]
  readonly target?: Json
  readonly choices?: readonly string[]
  readonly answers: readonly ForeignAnswer[]
  /** The sample's scores by `metric`, or by `metric,filter` where the log has several filters. */
  readonly scores: Readonly<Record<string, Json>>
  /** The values that the tool extracted from the answers, by filter or metric. */
  readonly extracted?: Readonly<Record<string, Json>>
  /** The filters or scores that could read nothing of the answer, if the log says it. Their values are what the benchmark counts for that. */
  readonly unread?: readonly string[]
  readonly error?: string
  /** The prompt and the judge record that one of our tasks makes of the doc. */
  readonly rendered?: { readonly messages: readonly ChatMessage[]; readonly record: JudgeRecord }
}

/** One message of a prompt in another tool's log. */
export interface ForeignMessage {
  readonly role: string
  readonly content: string | readonly ForeignPart[]
}

/** A text or medium of a message in another tool's log. */
export type ForeignPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'medium'; readonly bytes?: Uint8Array; readonly path?: string; readonly mime?: string }

/** An answer in another tool's log. */
export interface ForeignAnswer {
  /** The index of the choice whose likelihood this answer holds. */
  readonly choice?: number
  readonly text?: string
  readonly logprob?: number
  readonly isGreedy?: boolean
  readonly reasoning?: string
  readonly finish?: string
  /** Numbers of tokens. */
  readonly usage?: { readonly input?: number; readonly output?: number }
  readonly latencyMs?: number
  readonly error?: string
}

/** Recognises and opens the logs of one tool. */
export interface LogReader {
  readonly tool: string
  /** Returns whether the file or folder at `path` is obviously a log of this tool. It reads little and never throws. */
  recognises(path: string): Promise<boolean>
  open(path: string): Promise<ForeignLog>
}
