/**
 * The public interface: what a program, a plugin or a task's `utils.ts` imports from `pipeline`. Whatever is not here may change.
 */

// Evaluate, and read what is stored.
export {
  evaluate,
  openStore,
  plan,
  type EvaluatedRun,
  type EvaluateOptions,
  type OpenedStore,
  type ScoredDoc,
} from './library.js'
export type { Preview, TaskPreview } from './preview.js'
export type { EvalOutcome, JudgementChanges, MetricMove, Stages } from './settings.js'
export { findRun } from './run-reference.js'
export { PipelineError, type ErrorCode } from '../base/errors.js'
export type { Emit, StageEvent } from '../cache/events.js'
export type { FailedItem, RunCounts, Sample, SampleItem, Store } from '../cache/store.js'
export type * from '../cache/records.js'
export type { RunFigures, TaskFigures, TokenSums } from '../stages/model/figures/run-figures.js'
export type { Distribution } from '../stages/model/figures/distribution.js'
export { histogramQuantile, mergeHistograms, type Histogram } from '../stages/model/figures/histogram.js'
export { mergeMoments, momentsOf, standardDeviation, type Moments } from '../stages/model/figures/moments.js'
export type { FileDigest, MediaDigest, ResponseKey, RunKey } from '../cache/digest.js'
export type { Json } from '../base/canonical-json.js'

// Declare a model backend.
export {
  affectsOutput,
  AttemptError,
  defineBackend,
  transport,
  type AttemptProgress,
  type AttemptWatch,
  type BackendContext,
  type BackendDefinition,
  type Model,
  type ModelAnswer,
  type ModelRequest,
} from '../stages/model/define-backend.js'
export {
  EntryError,
  type BatchDraft,
  type BatchEntry,
  type BatchLane,
  type BatchLaneDefinition,
  type BatchResult,
  type BatchStatus,
  type FoundBatch,
} from '../stages/model/batch/batch-lane.js'

// Declare a metric, a filter, an aggregation.
export {
  defineMetric,
  judgeFailed,
  scored,
  unparsed,
  type MetricDefinition,
  type MetricInput,
  type Verdict,
} from '../stages/judge/define-metric.js'
export {
  defineFilter,
  defineTextFilter,
  read,
  unread,
  type FilterDefinition,
  type Reading,
} from '../stages/judge/define-filter.js'
export {
  defineAggregation,
  type AggregationDefinition,
  type Fold,
  type Summary,
} from '../stages/judge/define-aggregation.js'

// Write a task's own functions.
export type {
  Doc,
  DocFunction,
  EditedMedium,
  MediumSource,
  NextQuestion,
  NextQuestionParts,
  ProcessDocs,
  RoundState,
  StoredMedium,
  TaskKwargs,
} from '../stages/input/tasks/doc.js'
export type {
  AggregationFunction,
  FilterFunction,
  MetricFunction,
  ProcessedResults,
  ProcessResults,
  ScoringContext,
} from '../stages/judge/scoring-spec.js'
export type { AskJudge, JudgePrompt, JudgeReply } from '../stages/judge/judge-model.js'
export type { Parity } from '../stages/judge/parity.js'
export {
  binaryPrompt,
  comparativePrompt,
  correctnessPrompt,
  fillPrompt,
  type BinaryWords,
  type Compared,
} from '../stages/judge/helpers/judge-prompts.js'
export { readBinaryReply, readJsonReply, readScore, readScorePair } from '../stages/judge/helpers/judge-replies.js'

/** The schema library that arguments are declared with: the very copy that the definitions above are checked with. */
export { z } from 'zod'
