import type { InputKey, RecordKey, ResponseKey } from '../digest.js'
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

/** The part of a sample that comparisons of scores read: no answers, and of the prompts only their keys. */
export interface ComparedDoc extends Pick<Sample, 'task' | 'index' | 'id' | 'record' | 'score'> {
  /** The key of the record if the store has it at hand. Docs with the same key have the same record, which need not be read. */
  readonly recordKey?: RecordKey
  /** The requests that could be made, in the order of choices, then samples. */
  readonly requests: readonly ComparedRequest[]
  /** The media of the doc's question, see `listQuestionParts`. Absent if there are none. */
  readonly media?: readonly string[]
}

/** A request without its prompt. */
export interface ComparedRequest {
  readonly key: ResponseKey
  readonly inputKey: InputKey
  readonly generation: GenerationKwargs
  /** True if the answer is a log-likelihood, which is not drawn. */
  readonly isLikelihood: boolean
}
