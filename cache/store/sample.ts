import type { InputKey, ResponseKey } from '../digest.js'
import type { Failure, GenerationKwargs, Input, JudgeRecord, ScoreBody } from '../records.js'
import type { StoredAnswer } from './work.js'

/** One doc of a run with its answers and scores, for reports, comparison, sealing and dumps. */
export interface Sample {
  readonly task: number
  readonly index: number
  readonly id: string
  /** The record that the judgement used, or else the run's. */
  readonly record: JudgeRecord
  readonly items: readonly SampleItem[]
  readonly score?: ScoreBody
}

/** One request of a sample with its response or failure. */
export interface SampleItem {
  readonly choice: number
  readonly sample: number
  /** Absent if no request could be made. */
  readonly request?: {
    readonly key: ResponseKey
    /** The key of the messages, which does not depend on model and generation kwargs. */
    readonly inputKey: InputKey
    readonly input: Input
    readonly generation: GenerationKwargs
  }
  readonly response?: StoredAnswer
  readonly failure?: Failure
}
