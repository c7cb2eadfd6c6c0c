/** The data of the page that shows several runs side by side for each doc. */
import type { FoundSamples } from '../../../../cache/store.js'
import type { DocKind, DocOrder } from '../../../reading/samples/doc-kinds.js'
import type { SampleRow } from './samples.js'

export type { DocKind, DocOrder }

/** Selects and orders the docs of several runs. A doc is found if the sample of at least one run has the task, the labels and the words. */
export interface DocsQuery {
  /** Names of runs, or `NAME@2` for a judgement. */
  readonly runs: readonly string[]
  readonly only: DocKind
  /** The name of a task. */
  readonly task?: string
  /** Words that the prompt, an answer, the target or the id holds. */
  readonly q?: string
  /** @default 'disagreement' */
  readonly sort?: DocOrder
  readonly offset: number
  readonly limit: number
}

/** One page of docs with the answers of each run. */
export interface DocsPage {
  readonly runs: readonly ComparedRun[]
  /** The names of the tasks of all runs. */
  readonly tasks: readonly string[]
  /** The number of docs of each kind. */
  readonly counts: Readonly<Record<DocKind, number>>
  readonly total: number
  /** The number of samples of all runs that are prepared for filters and for the search. */
  readonly prepared: FoundSamples['prepared']
  readonly offset: number
  readonly rows: readonly DocRow[]
}

/** A run as a column. */
export interface ComparedRun {
  /** The run's name in the query. */
  readonly name: string
  readonly model: string
  /** The run's `--name`. */
  readonly title?: string
}

/** A doc with its sample in each run. */
export interface DocRow extends Pick<SampleRow, 'id' | 'taskName' | 'prompt' | 'target' | 'medium'> {
  /** The number of runs with the right answer, out of `scored` runs with a number. */
  readonly right: number
  readonly scored: number
  /** From 0, where all runs have the same value, to 1. Null with fewer than two values. */
  readonly disagreement: number | null
  /** In the order of the runs. Null where a run does not have the doc. */
  readonly cells: readonly (DocCell | null)[]
}

/** The sample of a doc in one run. */
export type DocCell = Pick<
  SampleRow,
  | 'task'
  | 'index'
  | 'outcome'
  | 'empty'
  | 'cut'
  | 'metric'
  | 'value'
  | 'isRight'
  | 'answer'
  | 'extracted'
  | 'durationMs'
  | 'outputTokens'
>

/** Answers of other runs to a doc. */
export interface DocRuns {
  /** The newest first. */
  readonly runs: readonly DocRun[]
  /** The number of further runs that have the task and were not looked at. */
  readonly left: number
}

/** The answer of another run to a doc. */
export interface DocRun extends ComparedRun {
  readonly created: string
  readonly cell: DocCell
  /** Whether the request had the same messages and media. Null if one of the runs made no request. */
  readonly isAskedSame: boolean | null
  /** Whether both runs share one stored answer. */
  readonly isSameAnswer: boolean
}
