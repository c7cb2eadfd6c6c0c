import type { SampleFacts } from '../facts/sample-facts.js'
import type { Judgement, LabelValue, Run } from '../records.js'
import type { DocPlace } from './judgement-store.js'

/** A run of the store, with the judgement that is meant: the one that a reference names, else the newest finished. */
export interface OpenedRun {
  readonly run: Run
  readonly judgement?: Judgement
}

/** The facts that decide the kind of a sample. */
export interface KindFacts extends Pick<SampleFacts, 'outcome' | 'isRight' | 'isEmpty' | 'isCut' | 'isDisputed'> {
  readonly isLabelled: boolean
  /** 1 where the first metric is better than in the other run, 0 where it is equal, -1 where it is worse. Null if one of them has no number. */
  readonly change: -1 | 0 | 1 | null
}

/** A kind of samples. */
export interface KindTest {
  readonly name: string
  /** It depends on nothing but the facts, so that an index may ask it once for all samples with the same facts. */
  readonly passes: (facts: KindFacts) => boolean
}

/** The orders in which samples are listed. */
export type SampleOrder = 'doc' | 'value' | 'tokens' | 'duration' | 'change'

/** Selects and orders samples of a run. */
export interface SampleQuestion {
  readonly kind: KindTest
  /** The name of a task. */
  readonly task?: string
  /** Labels that the doc has, by field. */
  readonly labels?: Readonly<Record<string, string>>
  /** The label that people gave to the answer. */
  readonly marked?: LabelValue
  /** Words that the prompt, the answer, the target or the id holds. */
  readonly q?: string
  /** Samples without the value that is sorted by come last. @default 'doc' */
  readonly sort?: SampleOrder
  readonly descending?: boolean
}

export interface SamplePageQuestion extends SampleQuestion {
  readonly offset: number
  readonly limit: number
}

/** The place of a sample that was found. */
export interface FoundSample extends DocPlace {
  readonly marked?: LabelValue
  /** The first metric's number in the other run. Null if it has none there, absent without another run. */
  readonly otherValue?: number | null
}

/** One page of found samples, with their total number. */
export interface FoundSamples {
  /** The number of samples that the question finds, so far. */
  readonly total: number
  /** The number of samples that are prepared for filters and for the search. All is when they are `of`. */
  readonly prepared: { readonly of: number; readonly filters: number; readonly text: number }
  readonly offset: number
  readonly samples: readonly FoundSample[]
}

/** Labels of docs by which results are broken down. */
export interface Facet {
  readonly field: string
  /** The most frequent come first. */
  readonly labels: readonly { readonly label: string; readonly docs: number }[]
  /** The number of further labels. */
  readonly more: number
}

/** Answers which samples of a run a question finds, page by page. */
export interface SampleIndex {
  /**
   * Returns a page of the samples that a question finds, with how much of the run it could look at.
   *
   * @param against the run that `change` compares with
   */
  find(
    opened: OpenedRun,
    question: SamplePageQuestion,
    against?: OpenedRun,
    signal?: AbortSignal,
  ): Promise<FoundSamples>
  /** Returns the fields by which results are broken down, with their labels. */
  facets(opened: OpenedRun): Promise<readonly Facet[]>
  /** Returns the offset of a sample among those that a question finds, or -1 if the question does not find it. */
  position(opened: OpenedRun, question: SampleQuestion, place: DocPlace, against?: OpenedRun): Promise<number>
  /** Prepares a run for questions, in the background. Nothing waits for it. */
  prepare(opened: OpenedRun): void
}
