import { emptyTable, ownValue } from '../../base/values/named-values.js'
import { isObject, type Json } from '../../base/values/canonical-json.js'
import { stripWhiteSpace } from '../../base/python/white-space.js'
import type { AnsweredDoc, ResponseBody, ScoreBody } from '../../cache/records.js'
import { isAfter, type CompiledMetric, type CompiledScoring } from './compile/compile-scoring.js'
import type { FilterPipeline } from './compile/compile-pipeline.js'
import type { Reading } from './define/define-filter.js'
import type { MetricContext, MetricInput, Verdict } from './define/define-metric.js'
import { addAttempts, type ScoredAttempt } from './define/scored-attempt.js'
import { DocVerdicts, ValueError } from './doc-verdicts.js'
import { makeDocAsker } from './define/judge-draws.js'
import { noJudge, type AskJudge } from './define/judge-model.js'
import { nameVerdicts } from './compile/named-values.js'
import { askPanel, isDisputedBy } from './judges/panel.js'
import { findMajority, overSamples } from './compile/over-samples.js'
import { givesLogprobs, type ProcessedResults, type ScoringSpec } from './compile/scoring-spec.js'
import { collectMarks } from './score-marks.js'
import { awaitValue, type Steps } from './steps.js'
import { hasTarget, listReferences, withoutTarget } from './define/target.js'
import { leaveUnnamed } from './unnamed-values.js'
import { applyFilters, listAttempts, listBodies, listResults } from './used-answers.js'
import {
  findBestChoice,
  collectTexts,
  makeScoreBody,
  checkVerdict,
  takeReadingText,
  valueOfUnread,
  markUnread,
  asVerdict,
  listTexts,
  isVerdict,
} from './score-body.js'

/** The name of a metric's value in a score: `metric` without filters, else `metric,filter`. */
export const valueName = (metric: string, filter: string): string =>
  filter === 'none' ? metric : `${metric},${filter}`

/** The work on one doc, and what it has led to so far. */
export interface DocWork {
  readonly doc: AnsweredDoc
  readonly scoring: CompiledScoring
  readonly spec: ScoringSpec
  readonly bodies: readonly ResponseBody[]
  /** The attempts behind the answers, if scores depend on attempts. */
  readonly attempts: readonly ScoredAttempt[] | undefined
  /** Binds a judge model to the doc. One for the whole doc, so that equal sampled calls of two metrics or pipelines are separate draws. */
  readonly askBy: (judge: AskJudge) => AskJudge
  readonly verdicts: DocVerdicts
  readonly extracted: Record<string, Json>
  /** The texts that the filter pipelines left of the answers. */
  readonly readings: Map<string, readonly Reading[] | undefined>
}

/** Prepares the work on one doc. */
export const startDoc = (doc: AnsweredDoc, scoring: CompiledScoring, spec: ScoringSpec): DocWork => ({
  ...{ doc, scoring, spec },
  bodies: listBodies(doc, spec.outputType),
  attempts: listAttempts(doc, scoring, spec),
  askBy: makeDocAsker({ task: spec.task, index: doc.index, id: doc.id }),
  verdicts: new DocVerdicts(),
  extracted: emptyTable<Json>(),
  readings: new Map(),
})

/** The names of the values after one filter pipeline. */
const listNames = ({ metrics }: CompiledScoring, pipeline: FilterPipeline): readonly string[] => {
  const names = metrics.filter(metric => isAfter(metric, pipeline)).map(({ name }) => valueName(name, pipeline.name))
  return names.length === 0 ? [pipeline.name] : names
}

/** The names of all values of a doc. */
export const listAllNames = (scoring: CompiledScoring): readonly string[] =>
  scoring.pipelines.flatMap(pipeline => listNames(scoring, pipeline))

/** Computes the values that have no verdict so far. A filter pipeline, a metric or the task's code that throws fails its own values. */
export function* scoreSteps(work: DocWork): Steps<ScoreBody> {
  const { scoring, verdicts } = work
  for (const pipeline of scoring.pipelines) {
    const names = listNames(scoring, pipeline)
    if (names.every(name => verdicts.isDone(name))) continue
    verdicts.begin(names)
    try {
      yield* judgePipeline(work, pipeline)
    } catch (error) {
      verdicts.fail(names, error)
    }
  }
  verdicts.begin([])
  return finishDoc(work)
}

/** Makes the score from the verdicts. */
export function finishDoc({ doc, bodies, scoring, spec, verdicts, extracted }: DocWork): ScoreBody {
  // Fields are listed one by one, as they are serialised: spreading the objects would take longer than the scoring.
  const { outcome, reason, unparsed: missed, failed, values } = makeScoreBody(verdicts)
  addDetails(extracted, verdicts)
  const { cluster, cut, empty, ending, groups, reasoning } = collectMarks(doc, bodies, scoring, spec)
  const disputed = isDisputed(scoring, extracted) || undefined
  return {
    cluster,
    cut,
    disputed,
    empty,
    ending,
    extracted,
    failed,
    groups,
    outcome,
    reason,
    reasoning,
    unparsed: missed,
    values,
  }
}

/** Returns whether the judges of a panel gave different values. */
const isDisputed = ({ metrics }: CompiledScoring, extracted: Readonly<Record<string, Json>>): boolean =>
  metrics.some(({ judges = [] }) => judges.length > 1) && Object.values(extracted).some(isDisputedBy)

/** Stores the details of verdicts beside the extracted answers. If a pipeline has the metric's name, its answer stays. */
function addDetails(extracted: Record<string, Json>, { all }: DocVerdicts): void {
  for (const [name, verdict] of all) {
    if ('details' in verdict) extracted[name] ??= verdict.details
  }
}

interface PipelineWork extends Omit<DocWork, 'readings'> {
  /** The samples' texts after the filters, at least one; undefined if the answer is log-likelihoods. */
  readonly readings: readonly Reading[] | undefined
  readonly pipeline: FilterPipeline
}

/** Reads the answer with a filter pipeline, and judges what it left. A pipeline that was applied before is not applied again. */
function* judgePipeline(work: DocWork, pipeline: FilterPipeline): Steps<void> {
  const { doc, bodies, scoring, spec, extracted } = work
  const { name } = pipeline
  if (!work.readings.has(name)) {
    const readings = givesLogprobs(spec.outputType) ? undefined : yield* applyFilters(doc, pipeline, { scoring, spec })
    work.readings.set(name, readings)
    extracted[name] = readings === undefined ? findBestChoice(doc.record, bodies) : collectTexts(readings)
  }
  const pipelineWork = { ...work, readings: work.readings.get(name), pipeline }
  if (spec.processResults !== undefined) yield* judgeByTask(pipelineWork, spec.processResults)
  else for (const metric of scoring.metrics) if (isAfter(metric, pipeline)) yield* judgeMetric(pipelineWork, metric)
}

/** Computes one metric. Its failure is the metric's own. */
function* judgeMetric(work: PipelineWork, metric: CompiledMetric): Steps<void> {
  const { pipeline, verdicts } = work
  const name = valueName(metric.name, pipeline.name)
  if (verdicts.isDone(name)) return
  verdicts.begin([name])
  try {
    const verdict = yield* judgeSamples(work, metric)
    if (metric.mayAbstain === true && verdict.type === 'scored' && verdict.value === null) return verdicts.abstain(name)
    const named = nameVerdicts(verdict, metric).map(entry => ({
      name: valueName(entry.metric.name, pipeline.name),
      verdict: checkVerdict(entry.verdict, entry.metric),
    }))
    verdicts.settle(name)
    for (const entry of named) verdicts.set(entry.name, entry.verdict)
  } catch (error) {
    verdicts.fail([name], new ValueError(name, error))
  }
}

function* judgeSamples(
  {
    doc: { record },
    bodies,
    attempts,
    readings,
    pipeline,
    spec: { parity, ask = noJudge, programs },
    askBy,
    verdicts: before,
  }: PipelineWork,
  metric: CompiledMetric,
): Steps<Verdict> {
  const findVerdict = (name: string): Verdict | undefined => before.find(valueName(name, pipeline.name))
  const isComparable = hasTarget(record)
  const references = isComparable ? listReferences(record) : []
  function* judge(reading: Reading | undefined, texts?: readonly string[], at = 0): Steps<Verdict> {
    const text = reading === undefined ? '' : stripWhiteSpace(takeReadingText(reading) ?? '')
    const unread = valueOfUnread(reading, metric)
    // A metric that needs a target throws for a doc without one, even if the answer is unparsed.
    const media = bodies[at]?.content
    const attempt = attempts && (reading === undefined ? addAttempts(attempts) : attempts[at])
    const baseInput = {
      text,
      record,
      bodies,
      parity,
      ...(media && { media }),
      ...(attempt && { attempt }),
      ...(texts && { texts }),
      ...(!isComparable && { hasTarget: false }),
    }
    const input = isComparable ? { ...baseInput, references } : withoutTarget(baseInput)
    // So does one that reads answers for a target that it cannot read.
    const readsTarget = !isComparable || (metric.readAnswer !== undefined && metric.judges === undefined)
    const own =
      unread !== undefined && !readsTarget ? null : askJudges(metric, input, { ask, askBy, findVerdict, programs })
    const said = yield* awaitValue(own ?? null)
    return markUnread(asVerdict(unread ?? said), reading)
  }
  if (readings === undefined) return yield* judge(undefined)
  const texts = listTexts(readings)
  if (texts !== undefined && metric.namedAggregation !== undefined && metric.samples === undefined)
    return yield* judge(readings[0], texts)
  if (metric.samples === 'majority') {
    const chosen = findMajority(readings.map(reading => readVote(reading, { record, parity }, metric)))
    return yield* judge(readings[chosen], undefined, chosen)
  }
  const used = metric.samples === 'first' ? readings.slice(0, 1) : readings
  const verdicts: Verdict[] = []
  for (const [at, reading] of used.entries()) verdicts.push(yield* judge(reading, undefined, at))
  return overSamples(verdicts, metric.samples)
}

/** Returns what a sample votes for: what the metric reads of it, or else its text. */
function readVote(
  reading: Reading,
  input: Pick<MetricInput, 'record' | 'parity'>,
  { readAnswer }: CompiledMetric,
): string | undefined {
  const whole = takeReadingText(reading)
  if (whole === null) return undefined
  const text = stripWhiteSpace(whole)
  return readAnswer === undefined ? text : readAnswer({ ...input, text })
}

/** Computes a metric with its judge models, or else with the task's. Several are a panel. */
function askJudges(
  { judge, judges, combine = 'majority' }: CompiledMetric,
  input: MetricInput,
  { ask, askBy, findVerdict, programs }: MetricContext & Pick<PipelineWork, 'askBy'>,
): Json | Verdict | Promise<Json | Verdict> {
  if (judge === undefined) return null
  if (judges === undefined || judges.length < 2)
    return judge(input, { ask: askBy(judges?.[0]?.ask ?? ask), programs, ...(findVerdict && { findVerdict }) })
  return askPanel(
    judges,
    async panelist => asVerdict(await judge(input, { ask: askBy(panelist.ask), programs })),
    combine,
  )
}

function* judgeByTask(
  { doc, bodies, attempts, readings, pipeline, scoring, spec, askBy, verdicts }: PipelineWork,
  processResults: NonNullable<ScoringSpec['processResults']>,
): Steps<void> {
  const results = listResults({ bodies, readings, scoring, spec })
  const { target, choices = [] } = doc.record
  const { parity } = spec
  const { normalizers } = scoring.config
  const processed = processResults(doc.record.doc, results, {
    target,
    choices,
    ask: askBy(spec.ask ?? noJudge),
    bodies,
    ...(attempts && { attempts }),
    parity,
    normalizers,
    marks: doc.record,
  })
  // Task code is not type-checked at run time.
  const returned: unknown = yield* awaitValue(processed)
  if (!isObject(returned)) throw new Error('process_results gives no values by metric')
  const metrics = scoring.metrics.filter(metric => isAfter(metric, pipeline))
  if (isVerdict(returned as Json) && returned['type'] === 'judge_failed') {
    for (const { name } of metrics) verdicts.set(valueName(name, pipeline.name), returned as unknown as Verdict)
    return
  }
  const said = returned as ProcessedResults
  const unreadOne = readings?.find(reading => reading.type === 'unparsed')
  const names = scoring.metrics.map(metric => metric.name)
  leaveUnnamed(said, names, spec)
  if (names.every(name => ownValue(said, name) === undefined))
    throw new Error(`process_results gives none of ${names.join(', ')}`)
  for (const metric of metrics) {
    const [name, value] = [valueName(metric.name, pipeline.name), ownValue(said, metric.name)]
    if (value === undefined) {
      verdicts.abstain(name)
      continue
    }
    try {
      verdicts.set(name, checkVerdict(markUnread(asVerdict(value), unreadOne), metric))
    } catch (error) {
      verdicts.fail([name], metrics.length === 1 ? error : new ValueError(name, error))
    }
  }
}
