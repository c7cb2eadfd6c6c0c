import type { InputKey, RecordKey, ResponseKey } from '../digest.js'
import type { GenerationKwargs } from '../records.js'
import type { Sample } from './sample.js'

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
