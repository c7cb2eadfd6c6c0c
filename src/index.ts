/** The public interface, which programs, plugins and a task's `utils.ts` import from `pipeline`. Everything else may change. */

// Evaluate, and read stored runs.
export { evaluate, infer, plan, type Following } from './library/library.js'
export { listRuns } from './library/runs/list-runs.js'
export { collectGarbage, type GarbageOptions } from './library/runs/free-store.js'
export type { FreedJson } from './present/json/freed-json.js'
export { leaderboard } from './library/runs/leaderboard.js'
export { track, type GivenTrackers, type RunTrackOptions } from './library/runs/track.js'
export type { TrackOutcome } from './tracking/track-run.js'
export type { LeaderboardChoice } from './reading/leaderboard/read-leaderboard.js'
export type {
  LeaderboardCellJson,
  LeaderboardModelJson,
  LeaderboardJson,
  LeaderboardRowJson,
} from './present/json/leaderboard-json.js'
export type { RunChoice } from './reading/runs/choose-runs.js'
export type { RunJson } from './present/json/run-json.js'
export type { RunOrName } from './library/options/run-or-name.js'
export { openStore, type GivenStore } from './library/stores.js'
export {
  exportRun,
  importRun,
  report,
  resume,
  type ExportedFile,
  type ReportFormat,
  type ResumeOptions,
  type StoreOption,
} from './library/runs/runs.js'
export { judge, judgeAnswers, rescore, type JudgeAnswersOptions, type JudgeOptions } from './library/runs/judging.js'
export type { Blame } from './rescoring/blame/blame-runs.js'
export type { BlamedFactor, BlamedMetric } from './rescoring/blame/blame-metric.js'
export {
  blame,
  calibrate,
  planComparison,
  planFromRuns,
  readReproduction,
  recheck,
  type RecheckOptions,
  readStability,
  type StabilityOptions,
} from './library/runs/planning.js'
export { mediaManifest } from './library/runs/media.js'
export {
  compareManifests,
  type ManifestComparison,
  type ManifestDifference,
} from './reading/media/compare-manifests.js'
export type { ManifestDoc, ManifestMedium, MediaManifest, ManifestFile, ShownFrame } from './reading/media/manifest.js'
export * as statistics from './library/statistics.js'
export type { ConfusionTable, JudgeCalibration, TaskCalibration } from './reading/calibration/calibrate-judge.js'
export type { PeoplePair, PersonLabels } from './reading/calibration/compare-people.js'
export type { LabelRow } from './reading/calibration/read-label-rows.js'
export type { CohenKappa } from '../stages/judge/statistics/agreement/cohen.js'
export type { NormalMean, PpiMean } from '../stages/judge/statistics/ppi/ppi-mean.js'
export type { Reproduction, VersionChange } from './preview/reproduction.js'
export type { Recheck, RecheckBasis, RecheckSettings } from './evaluation/recheck.js'
export type { ChangeDecision, MatchCounts } from '../stages/judge/statistics/stability/detect-change.js'
export type { RunStability, TaskStability } from './rescoring/run-stability.js'
export type { ConfidentError, DocDiagnoses } from './reading/stability/diagnose-docs.js'
export type { AttemptValues, StabilityValue, StabilityValues } from './reading/stability/measure-run-stability.js'
export type { PowerAssumptions, PowerPlan, PowerPoint } from './reading/planning/plan-power.js'
export type { RunPower, TaskPower } from './reading/planning/run-power.js'
export { verifyBundle, type Verification } from './evidence/verify-certificate.js'
export type { Certificate, Statement } from './evidence/certificate.js'
export {
  assess,
  compare,
  compareAll,
  compareBy,
  comparisonText,
  type AssessOptions,
  type CompareOptions,
} from './library/runs/comparing.js'
export type { Assessment } from './reading/gates/assess-run.js'
export type { BaselineComparison } from './reading/comparing/baseline.js'
export type { BaselineDifference } from './reading/comparing/baseline-difference.js'
export type { GateResult } from './reading/gates/check-gates.js'
export { writeTaskFromRun, type TaskFromRunOptions } from './library/runs/task-from-run.js'
export type { TaskFromRun } from './authoring/task-from-run.js'
export { importTasks, type ImportedTasks } from './authoring/foreign-tasks/import-tasks.js'
export { importLog, type ImportLogOptions } from './library/runs/import-log.js'
export type { NewNames } from './exchange/renamed-log.js'
export type { LandedRun } from './exchange/land-log.js'
export type { ScoreDifference } from './exchange/imported-scores.js'
export { htmlReport, type HtmlReportOptions } from './library/runs/html-report.js'
export type { WrittenReport } from './present/files/html/write-report.js'
export type { ComparedGroup, GroupComparison } from './reading/comparing/compare-groups.js'
export type { RunComparison } from './reading/comparing/compare-runs.js'
export { rankRuns, type RankedRun, type RunRanking } from './reading/comparing/rank-runs.js'
export type { ComparedMetric } from './reading/comparing/compare-metrics.js'
export type { ComparisonVerdict, PairedComparison } from '../stages/judge/statistics/paired/compare-paired.js'
export type { FamilyComparison } from '../stages/judge/statistics/paired/settle-verdicts.js'
export type { NoDifferenceTest } from '../stages/judge/statistics/paired/difference-test.js'
export type { Interval } from '../stages/judge/statistics/intervals/interval.js'
export type { BundleContent } from '../cache/bundle/content.js'
export type { Conflict, ImportOutcome, OnConflict, RowCounts } from '../cache/bundle/portable.js'
export type {
  EvaluatedRun,
  MetricResult,
  RunSample,
  SampleQuery,
  ScoredDoc,
  TaskResult,
} from './library/runs/results.js'
export type { EvaluateOptions, GivenJudge, OpenedStore } from './library/options/evaluate-options.js'
export type { StoredContext, OptionGroup, OptionSpec, ProgramOptionsOf } from './config/option.js'
export type { Preview, TaskPreview } from './preview/preview.js'
export type { EvalOutcome, JudgementChanges, MetricMove, Stages } from './config/settings.js'
export { findRun, type RunReference } from './reading/runs/run-reference.js'
export { PipelineError, type ErrorCode, type ErrorFacts, type ErrorReason } from '../base/errors/errors.js'
export type { Emit, RunningScore, StageEvent } from '../cache/events.js'
export type { ProviderBatch, BatchState } from '../cache/batches.js'
export type { FailedItem, Holder, RunCounts, Sample, SampleItem, Store, StoredAnswer } from '../cache/store.js'
export type * from '../cache/records.js'
export type { DispatchOrder } from '../stages/model/schedule/loop/dispatch-order.js'
export type { Limits, Stop } from '../stages/model/budget/budget.js'
export type { Forecast } from '../stages/model/budget/forecast.js'
export type { TokenRange } from '../stages/model/budget/estimate.js'
export type { Price, PricedModel, TokenPrices } from '../stages/model/budget/price.js'
export type { RunStats, SpreadName, TaskStats, TokenSums } from '../stages/model/stats/run-stats.js'
export type { Timeline } from '../stages/model/stats/timeline.js'
export type { Pause } from '../stages/model/stats/timeline.js'
export type { Distribution } from '../stages/model/stats/distribution.js'
export { histogramQuantile, mergeHistograms, type Histogram } from '../stages/model/stats/distribution.js'
export { mergeMoments, computeMoments, standardDeviation, type Moments } from '../stages/model/stats/distribution.js'
export type {
  AnswerDigest,
  AnswersKey,
  InputKey,
  CodeKey,
  FileDigest,
  FileIdentity,
  Fingerprint,
  JudgeConfigKey,
  MediaDigest,
  RecordKey,
  ResponseKey,
  RunKey,
  Sha256,
  TaskKey,
} from '../cache/digest.js'
export type { Json } from '../base/values/canonical-json.js'

// Models, metrics, filters and aggregations as values.
export * from './library/values/models.js'
export * from './library/judge-functions.js'
export {
  defineAggregation,
  defineBackend,
  defineFilter,
  defineJudge,
  defineMetric,
  defineTextFilter,
  type CodePlace,
  type DefinedAggregation,
  type DefinedBackend,
  type DefinedFilter,
  type DefinedMetric,
  type GradedOptions,
} from './library/definitions.js'
export {
  mockModel,
  type MockModel,
  type MockModelOptions,
  type MockReply,
  type MockRequest,
} from './library/values/mock-model.js'
export { fromAiSdk, type AiSdkModel } from './library/values/ai-sdk.js'
export type { CamelCase, NamedArguments, Options, Spellings } from './library/options/named-arguments.js'
export type * from './library/values/values.js'

// Write a task in code.
export {
  defineTask,
  type FewshotOptions,
  type GenerationOptions,
  type MetricsOf,
  type Task,
  type TaskOptions,
} from './library/values/tasks.js'
export {
  csv,
  hub,
  jsonl,
  parquet,
  rows,
  type DatasetOptions,
  type DatasetValue,
  type Row,
  type SchemaIssue,
  type SchemaResult,
  type SplitOptions,
  type StandardSchema,
} from './library/values/datasets.js'
export {
  audio,
  file,
  image,
  text,
  video,
  type Medium,
  type Prompt,
  type PromptMedium,
  type PromptMessage,
  type PromptPart,
  type PromptText,
} from './library/prompt-parts.js'
export type { FilterSteps } from './library/options/scoring-keys.js'
export type { TaskValue } from '../stages/input/tasks/task-value.js'
export type { RowSource } from '../stages/input/datasets/spooled-rows.js'
export type { Callee } from '../cache/code/offered-functions.js'
export type { SampleOutcome } from '../cache/facts/sample-facts.js'
export type { SampleConditions } from './reading/samples/sample-filter.js'
export type { SampleKind } from './reading/samples/sample-kinds.js'
export type { FileFormat } from './present/files/report-formats.js'

// Declare a model backend.
export type {
  AnsweredApart,
  AnyBackend,
  BackendCode,
  BackendContext,
  BackendDefinition,
  BackendDraft,
  BatchClientDefinition,
  DerivedMedia,
  MakeMedia,
  Modality,
  TextAnswer,
  TextModel,
} from '../stages/model/define-backend.js'
export {
  affectsOutput,
  transport,
  type BackendArgs,
  type Declared,
  type NamedThing,
} from '../stages/model/backend-args.js'
export {
  AttemptError,
  type AccessFailure,
  type AttemptProgress,
  type AttemptWatch,
  type FurtherRequests,
  type Model,
  type ModelAnswer,
  type ModelRequest,
  type Showing,
  type RateLimit,
  type RateLimits,
} from '../stages/model/model.js'
export {
  EntryError,
  type BatchDraft,
  type BatchEntry,
  type BatchClient,
  type BatchResult,
  type BatchStatus,
  type FoundBatch,
  type SentAlike,
} from '../stages/model/batch/batch-client.js'

// Declare a metric, a filter, an aggregation.
export {
  judgeFailed,
  scored,
  unparsed,
  type MetricContext,
  type MetricDefinition,
  type MetricInput,
  type MetricResource,
  type ValuePool,
  type Verdict,
} from '../stages/judge/define/define-metric.js'
export type { ScoredAttempt } from '../stages/judge/define/scored-attempt.js'
export type { SampleRule } from '../stages/judge/compile/over-samples.js'
export { read, unread, type FilterDefinition, type Reading } from '../stages/judge/define/define-filter.js'
export {
  type AggregationDefinition,
  type Clusters,
  type Fold,
  type Summary,
} from '../stages/judge/define/define-aggregation.js'
export type { DocTerms } from '../stages/judge/statistics/resampling/doc-terms.js'
export type { Units } from '../stages/judge/statistics/resampling/units.js'
export type { Resampling, ResampledDocs, ResampledSums } from '../stages/judge/define/define-aggregation.js'
export type { AskingDoc } from '../stages/judge/define/judge-model.js'
export type { MediumFile, PresignOptions } from '../cache/store/media-store.js'

// Write a task's own functions.
export type {
  DatasetAccess,
  Doc,
  DocFunction,
  DocList,
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
  Normalizers,
  ProcessedResults,
  ProcessResults,
  ScoringContext,
} from '../stages/judge/compile/scoring-spec.js'
export type {
  AskJudge,
  JudgeGuard,
  JudgeMessage,
  JudgePrompt,
  JudgeReply,
  KnownQuestion,
} from '../stages/judge/define/judge-model.js'
export type { Parity } from '../stages/judge/define/parity.js'
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
