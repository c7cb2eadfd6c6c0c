import type { Price } from '../facts/compute-cost.js'
import type { Histogram, Measure, NumberRange } from '../facts/histogram.js'
import type { SampleFacts } from '../facts/sample-facts.js'
import type { Judgement, LabelValue, Run } from '../records.js'
import type { DocPlace } from './judgement-store.js'

/** A run of the store with a judgement: the one that a reference names, else the newest finished one. */
export interface OpenedRun {
  readonly run: Run
  readonly judgement?: Judgement
  /** The price of the model. Without it, the costs of samples are not known. */
  readonly price?: Price
}

/** The facts that decide the kind of a sample. */
export interface KindFacts extends Pick<SampleFacts, 'outcome' | 'isRight' | 'isEmpty' | 'isCut' | 'isDisputed'> {
  readonly isLabelled: boolean
  /** 1 if the first metric is better than in the other run, 0 if it is equal, -1 if it is worse. Null if one of them has no number. */
  readonly change: -1 | 0 | 1 | null
}

/** A kind of samples. */
export interface KindTest {
  readonly name: string
  /** It depends only on the facts, so that an index may call it once for all samples with the same facts. */
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
  /** The current label of the answer. */
  readonly marked?: LabelValue
  /** Ranges that numbers of the sample are in. */
  readonly ranges?: Readonly<Partial<Record<Measure, NumberRange>>>
  /** Words to find in the prompt, the answer, the target or the id. */
  readonly q?: string
  /** The sort order. Samples without the value come last. @default 'doc' */
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
  /** The number of samples that are prepared for filters and for the search, out of `of`. */
  readonly prepared: { readonly of: number; readonly filters: number; readonly text: number }
  readonly offset: number
  readonly samples: readonly FoundSample[]
}

/** The facts that decide whether several runs agree on a doc. */
export interface AgreementFacts {
  /** The number of compared runs. */
  readonly runs: number
  /** The number of runs with the best value of the first metric, and with another value. Other runs have no number. */
  readonly right: number
  readonly wrong: number
  /** From 0, where all values are equal, to 1, where half of the runs have the lowest and half the highest value. Null with fewer than two values. */
  readonly disagreement: number | null
}

/** A kind of docs of several runs. */
export interface AgreementTest {
  readonly name: string
  readonly passes: (facts: AgreementFacts) => boolean
}

/** The orders of docs of several runs: largest disagreement first, order of the dataset, or fewest right runs first. */
export type DocOrder = 'disagreement' | 'doc' | 'hardest'

/** Selects and orders the docs of several runs. A doc is found if the sample of at least one run has the task, the labels and the words. */
export interface DocsQuestion extends Pick<SampleQuestion, 'task' | 'labels' | 'q'> {
  readonly kind: AgreementTest
  /** The kinds to count. */
  readonly counted: readonly AgreementTest[]
  readonly sort: DocOrder
  readonly offset: number
  readonly limit: number
}

/** A doc of several runs. */
export interface FoundDoc extends AgreementFacts {
  /** The doc's place in each run, null where a run does not have it. */
  readonly places: readonly (DocPlace | null)[]
}

/** One page of found docs, with their total number. */
export interface FoundDocs {
  readonly total: number
  /** The number of docs of each counted kind, by its name. */
  readonly counts: Readonly<Record<string, number>>
  /** The number of samples of all runs that are prepared. */
  readonly prepared: FoundSamples['prepared']
  readonly offset: number
  readonly docs: readonly FoundDoc[]
}

/** A breakdown field with its labels. */
export interface Facet {
  readonly field: string
  /** The most frequent come first. */
  readonly labels: readonly { readonly label: string; readonly docs: number }[]
  /** The number of further labels. */
  readonly more: number
}

/** Histograms of the found samples' numbers. */
export interface FoundHistograms {
  readonly prepared: FoundSamples['prepared']
  /** One for each measure that a sample has. */
  readonly histograms: readonly Histogram[]
}

/** Answers which samples of a run a question finds, page by page. */
export interface SampleIndex {
  /**
   * Returns a page of the samples that match a question, with the number of samples that are prepared for it.
   *
   * @param against the run that `change` compares with
   */
  find(
    opened: OpenedRun,
    question: SamplePageQuestion,
    against?: OpenedRun,
    signal?: AbortSignal,
  ): Promise<FoundSamples>
  /** Returns a page of the docs of several runs. Docs are paired by task and id; docs that the first run does not have come last. */
  findDocs(runs: readonly OpenedRun[], question: DocsQuestion, signal?: AbortSignal): Promise<FoundDocs>
  /** Returns the fields by which results are broken down, with their labels. */
  facets(opened: OpenedRun): Promise<readonly Facet[]>
  /** Counts the samples that a question finds by their numbers. */
  histograms(opened: OpenedRun, question: SampleQuestion, signal?: AbortSignal): Promise<FoundHistograms>
  /** Returns the offset of a sample among the matches of a question, or -1 if it does not match. */
  position(opened: OpenedRun, question: SampleQuestion, place: DocPlace, against?: OpenedRun): Promise<number>
  /** Prepares a run for questions, in the background. Nothing waits for it. */
  prepare(opened: OpenedRun): void
}
