import { emptyTable, ownValue } from '../../base/values/named-values.js'
import { isObject, type Json } from '../../base/values/canonical-json.js'
import { messageOf } from '../../base/errors/errors.js'
import { callLimited, ofDoc, TimeLimitError } from '../../base/time/time-limit.js'
import { stripWhiteSpace } from '../../base/python/white-space.js'
import { describeThrown } from '../../cache/code/thrown-position.js'
import type { Answer, AnsweredDoc, ResponseBody, ScoreBody } from '../../cache/records.js'
import { isAfter, type CompiledMetric, type CompiledScoring } from './compile/compile-scoring.js'
import type { FilterPipeline } from './compile/compile-pipeline.js'
import { read, type Reading } from './define/define-filter.js'
import type { MetricContext, MetricInput, Verdict } from './define/define-metric.js'
import { addAttempts, type ScoredAttempt } from './define/scored-attempt.js'
import { makeDocAsker } from './define/judge-draws.js'
import { noJudge, type AskJudge } from './define/judge-model.js'
import { nameVerdicts } from './compile/named-values.js'
import { askPanel, isDisputedBy } from './judges/panel.js'
import { overSamples } from './compile/over-samples.js'
import { spokenText, stripAsLmmsEval, stripReasoning } from './text/reasoning.js'
import { givesLogprobs, type ProcessedResults, type ScoringSpec } from './compile/scoring-spec.js'
import { collectMarks } from './score-marks.js'
import { awaitValue, runSteps, type Steps } from './steps.js'
import { hasTarget, listReferences, withoutTarget } from './define/target.js'
import { leaveUnnamed } from './unnamed-values.js'
import { listAttempts, listBodies } from './used-answers.js'
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

/**
 * Scores one doc; synchronous if no part of the scoring is asynchronous. If a metric or the task's code throws or
 * exceeds the time limit, the outcome is `error` with the reason.
 */
export function scoreDoc(
  doc: AnsweredDoc,
  scoring: CompiledScoring,
  spec: ScoringSpec,
): ScoreBody | Promise<ScoreBody> {
  const turn = <Result>(work: () => Result): Result =>
    scoring.needsTimeLimit
      ? ofDoc({ task: spec.task, id: doc.id, limit: spec.timeLimit }, () => callLimited('scoring', work))
      : work()
  const failOnTimeLimit = (error: unknown): ScoreBody => {
    if (!(error instanceof TimeLimitError)) throw error
    return failedScore(doc, error.message, { scoring, spec })
  }
  try {
    const score = runSteps(scoreSteps(doc, scoring, spec), turn)
    return score instanceof Promise ? score.catch(failOnTimeLimit) : score
  } catch (error) {
    return failOnTimeLimit(error)
  }
}

/** The score of a doc that could not be scored, with the reason. */
export function failedScore(
  doc: AnsweredDoc,
  reason: string,
  options: {
    readonly scoring: CompiledScoring
    readonly spec: ScoringSpec
    readonly extracted?: Readonly<Record<string, Json>>
  },
): ScoreBody {
  const { scoring, spec, extracted = {} } = options
  const marks = collectMarks(doc, listBodies(doc, spec.outputType), scoring, spec)
  return { outcome: 'error', values: {}, extracted, reason, ...marks }
}

function* scoreSteps(doc: AnsweredDoc, scoring: CompiledScoring, spec: ScoringSpec): Steps<ScoreBody> {
  const verdicts = new Map<string, Verdict>()
  const extracted = emptyTable<Json>()
  const bodies = listBodies(doc, spec.outputType)
  const attempts = listAttempts(doc, scoring, spec)
  // One for the whole doc, so that equal sampled calls of two metrics or pipelines are separate draws.
  const askBy = makeDocAsker({ task: spec.task, index: doc.index, id: doc.id })
  for (const pipeline of scoring.pipelines) {
    try {
      const isText = !givesLogprobs(spec.outputType)
      const readings = isText ? yield* readAnswer(doc, pipeline, { scoring, spec }) : undefined
      extracted[pipeline.name] = readings === undefined ? findBestChoice(doc.record, bodies) : collectTexts(readings)
      yield* judgePipeline({ doc, bodies, attempts, readings, pipeline, scoring, spec, askBy, verdicts })
    } catch (error) {
      return failedScore(doc, describeThrown(error), { scoring, spec, extracted })
    }
  }
  // Fields are listed one by one, as they are serialised: spreading the objects would take longer than the scoring.
  const { outcome, reason, unparsed: missed, values } = makeScoreBody(verdicts)
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
function addDetails(extracted: Record<string, Json>, verdicts: ReadonlyMap<string, Verdict>): void {
  for (const [name, verdict] of verdicts) {
    if (verdict.type !== 'judge_failed' && verdict.details !== undefined) extracted[name] ??= verdict.details
  }
}

interface PipelineWork {
  readonly doc: AnsweredDoc
  readonly bodies: readonly ResponseBody[]
  /** The attempts behind the answers, if scores depend on attempts. */
  readonly attempts: readonly ScoredAttempt[] | undefined
  /** The samples' texts after the filters, at least one; undefined if the answer is log-likelihoods. */
  readonly readings: readonly Reading[] | undefined
  readonly pipeline: FilterPipeline
  readonly scoring: CompiledScoring
  readonly spec: ScoringSpec
  /** Binds a judge model to the doc. */
  readonly askBy: (judge: AskJudge) => AskJudge
  readonly verdicts: Map<string, Verdict>
}

function* judgePipeline(work: PipelineWork): Steps<void> {
  const { pipeline, scoring, spec, verdicts } = work
  if (spec.processResults !== undefined) return yield* judgeByTask(work, spec.processResults)
  for (const metric of scoring.metrics) {
    if (!isAfter(metric, pipeline)) continue
    const name = valueName(metric.name, pipeline.name)
    try {
      const verdict = yield* judgeSamples(work, metric)
      if (metric.mayAbstain === true && verdict.type === 'scored' && verdict.value === null) continue
      for (const entry of nameVerdicts(verdict, metric))
        verdicts.set(valueName(entry.metric.name, pipeline.name), checkVerdict(entry.verdict, entry.metric))
    } catch (error) {
      throw new Error(`${name}: ${messageOf(error)}`, { cause: error })
    }
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
  const findVerdict = (name: string): Verdict | undefined => before.get(valueName(name, pipeline.name))
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
    const own =
      unread !== undefined && isComparable ? null : askJudges(metric, input, { ask, askBy, findVerdict, programs })
    const said = yield* awaitValue(own ?? null)
    return markUnread(asVerdict(unread ?? said), reading)
  }
  if (readings === undefined) return yield* judge(undefined)
  const texts = listTexts(readings)
  if (texts !== undefined && metric.namedAggregation !== undefined && metric.samples === undefined)
    return yield* judge(readings[0], texts)
  const used = metric.samples === 'first' ? readings.slice(0, 1) : readings
  const verdicts: Verdict[] = []
  for (const [at, reading] of used.entries()) verdicts.push(yield* judge(reading, undefined, at))
  return overSamples(verdicts, metric.samples)
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
  if (isVerdict(returned as Json) && returned['type'] === 'judge_failed')
    return void verdicts.set(pipeline.name, returned as unknown as Verdict)
  const said = returned as ProcessedResults
  const unreadOne = readings?.find(reading => reading.type === 'unparsed')
  const names = scoring.metrics.map(metric => metric.name)
  leaveUnnamed(said, names, spec)
  for (const metric of scoring.metrics) {
    const value = ownValue(said, metric.name)
    if (value === undefined || !isAfter(metric, pipeline)) continue
    verdicts.set(valueName(metric.name, pipeline.name), checkVerdict(markUnread(asVerdict(value), unreadOne), metric))
  }
  if (scoring.metrics.every(metric => ownValue(said, metric.name) === undefined))
    throw new Error(`process_results gives none of ${names.join(', ')}`)
}

/** Lists the results for `process_results`. For several rounds, these are all answers, not the filtered last one. */
function listResults({
  bodies,
  readings,
  scoring,
  spec,
}: Pick<PipelineWork, 'bodies' | 'readings' | 'scoring' | 'spec'>) {
  if (spec.outputType === 'loglikelihood_rolling') return bodies.map(body => body.logprob ?? null)
  if (readings === undefined) return bodies.map(body => [body.logprob ?? null, body.isGreedy ?? null])
  if (spec.outputType === 'generate_until_multi_round')
    return bodies
      .slice(0, readings.length)
      .map(({ text, outputs = [text] }) =>
        outputs.map(answer => (answer === null ? null : stripReasoning(answer, scoring.config.reasoning_tags))),
      )
  const texts = listTexts(readings)
  if (texts !== undefined) return [texts]
  return readings.map(reading => stripWhiteSpace(takeReadingText(reading) ?? '[invalid]'))
}

function* readAnswer(
  doc: AnsweredDoc,
  pipeline: FilterPipeline,
  { scoring, spec }: { readonly scoring: CompiledScoring; readonly spec: ScoringSpec },
): Steps<readonly Reading[]> {
  const { reasoning_tags: tags } = scoring.config
  const without = (readings: readonly Reading[]): readonly Reading[] =>
    readings.map(reading =>
      reading.type === 'read' ? { ...reading, text: stripAsLmmsEval(reading.text, tags) } : reading,
    )
  // With this parity the filters see the reasoning, and it is removed afterwards.
  const isLast = spec.parity === 'lmms-eval'
  const readSpokenText = ({ body }: Answer): Reading => read(isLast ? body.text : spokenText(body, tags))
  const filtered = yield* awaitValue(pipeline.apply(doc.answers.map(readSpokenText), doc.record))
  const keptReadings = isLast ? without(filtered) : filtered
  if (keptReadings.length === 0) throw new Error(`the filters of "${pipeline.name}" leave nothing of the answer`)
  return keptReadings
}
