import { HelperPrograms } from '../../base/processes/helper-programs.js'
import type { Aggregate, AnsweredDoc, ScoreBody, TaskJudging } from '../../cache/records.js'
import { aggregator, type Aggregator, type Totals } from './aggregate.js'
import { compileScoring, isAfter, type CompiledScoring } from './compile/compile-scoring.js'
import type { JudgeRegistry } from './compile/registry.js'
import { makeDocScoring, type DocScoring } from './doc-scoring.js'
import { valueName } from './score-doc.js'
import { givesLogprobs, type ScoringSpec } from './compile/scoring-spec.js'

/** A reported value of each doc. */
export interface ScoreColumn {
  /** `metric` or `metric,filter`. */
  readonly name: string
  readonly metric: string
  readonly filter: string
  /** True if the mean of the docs' values is reported. */
  readonly isMean: boolean
  /** The lowest and highest value of a doc, if the metric declares them. */
  readonly range?: readonly [number, number] | undefined
}

/** Scores one task's docs and aggregates the scores. */
export interface Scorer {
  readonly task: string
  /** The scoring rules as they are stored in the score keys. */
  readonly judging: TaskJudging
  /** The doc fields by which scores are also reported separately. */
  readonly breakdown: readonly string[]
  /**
   * Scores one doc; synchronous if no part of the scoring is asynchronous. It never throws because of a doc, a
   * metric or the task's code: those failures are outcomes. If the caller has set a time limit, it propagates the
   * caller's `TimeLimitError`.
   */
  score(doc: AnsweredDoc): ScoreBody | Promise<ScoreBody>
  /** True if scoring a doc can take long, so that the caller must set a time limit. */
  readonly needsTimeLimit: boolean
  /** That limit in milliseconds. @default the usual limit */
  readonly timeLimit?: number | undefined
  /** Goes on with a doc whose scoring exceeded the caller's time limit. The values whose code was ended fail. */
  skip(doc: AnsweredDoc, reason: string): ScoreBody | Promise<ScoreBody>
  /** The score of a doc whose scoring the caller stopped. Values that were computed before are kept. */
  failed(doc: AnsweredDoc, reason: string): ScoreBody
  aggregator(): Aggregator
  /** The name of the first value that is reported as a mean. */
  readonly meanOf?: string
  /** The values that are reported, in order. */
  readonly columns: readonly ScoreColumn[]
  /** True if docs that show the same medium are clusters. */
  readonly clustersMedia: boolean
  /** Aggregates scores, which must come in the order of the docs. */
  aggregate(scores: Iterable<ScoreBody>, totals: Totals): readonly Aggregate[]
}

/**
 * Compiles a task's scoring rules. If a doc has several samples, the first one is scored, unless a filter combines
 * them.
 *
 * @throws PipelineError that lists all unknown names and wrong arguments.
 */
export function makeScorer(spec: ScoringSpec, registry: JudgeRegistry): Scorer {
  const scoring = compileScoring(spec, registry)
  const programs = spec.programs ?? new HelperPrograms({})
  const quietSpec = { ...spec, programs, ...(spec.note && { note: once(spec.note) }) }
  const { hide } = spec
  const isDrawn = !givesLogprobs(spec.outputType)
  const showsMedia = scoring.config.cluster_key === undefined && spec.parity === undefined
  const begun = new WeakMap<AnsweredDoc, DocScoring>()
  const findScoring = (doc: AnsweredDoc): DocScoring => begun.get(doc) ?? makeDocScoring(doc, scoring, quietSpec)
  const start = (): Aggregator =>
    hidingAggregator(limitSources(aggregator(spec.task, scoring), { isDrawn, showsMedia }), hide)
  return {
    task: spec.task,
    judging: {
      config: { ...spec.config, output_type: spec.outputType, ...(spec.parity && { parity: spec.parity }) },
      scorer: spec.scorerCode,
    },
    breakdown: scoring.config.breakdown,
    ...findMeanName(scoring),
    columns: listColumns(scoring),
    clustersMedia: showsMedia,
    score(doc) {
      const started = makeDocScoring(doc, scoring, quietSpec)
      begun.set(doc, started)
      return hideBody(started.score(), hide)
    },
    needsTimeLimit: scoring.needsTimeLimit,
    timeLimit: spec.timeLimit,
    skip: (doc, reason) => hideBody(findScoring(doc).skip(reason), hide),
    failed: (doc, reason) => hiddenBody(findScoring(doc).end(reason), hide),
    aggregator: start,
    aggregate(scores, totals) {
      const collected = start()
      for (const body of scores) collected.add(body)
      return collected.finish(totals)
    },
  }
}

type Hide = ScoringSpec['hide']

/** Hides secrets in the reasons of a score, which come from users' code and are stored. */
function hiddenBody(body: ScoreBody, hide: Hide): ScoreBody {
  if (hide === undefined || body.reason === undefined) return body
  const failed = body.failed && Object.entries(body.failed).map(([name, reason]) => [name, hide(reason)] as const)
  return { ...body, reason: hide(body.reason), ...(failed && { failed: Object.fromEntries(failed) }) }
}

const hideBody = (body: ScoreBody | Promise<ScoreBody>, hide: Hide): ScoreBody | Promise<ScoreBody> =>
  body instanceof Promise ? body.then(score => hiddenBody(score, hide)) : hiddenBody(body, hide)

function hidingAggregator(aggregator: Aggregator, hide: Hide): Aggregator {
  if (hide === undefined) return aggregator
  return {
    ...aggregator,
    finish: totals =>
      aggregator
        .finish(totals)
        .map(aggregate => (aggregate.error === undefined ? aggregate : { ...aggregate, error: hide(aggregate.error) })),
  }
}

/**
 * Passes on only the facts that make docs of the task dependent. Log-likelihoods are not drawn, and a doc has several, so one equal answer does not
 * make two docs equal. Media count if the task names no clusters.
 */
const limitSources = (
  aggregator: Aggregator,
  { isDrawn, showsMedia }: { readonly isDrawn: boolean; readonly showsMedia: boolean },
): Aggregator => ({
  ...aggregator,
  add(body, { draw, media } = {}) {
    aggregator.add(body, { draw: isDrawn ? draw : undefined, media: showsMedia ? media : undefined })
  },
})

const listColumns = ({ metrics, pipelines }: CompiledScoring): readonly ScoreColumn[] =>
  metrics.flatMap(metric =>
    pipelines
      .filter(pipeline => isAfter(metric, pipeline))
      .map(({ name: filter }) => ({
        ...{ name: valueName(metric.name, filter), metric: metric.name, filter },
        ...{ isMean: metric.isMean, range: metric.range },
      })),
  )

function findMeanName({ metrics, pipelines }: CompiledScoring): Pick<Scorer, 'meanOf'> {
  for (const metric of metrics) {
    const pipeline = pipelines.find(candidate => isAfter(metric, candidate))
    if (metric.isMean && pipeline !== undefined) return { meanOf: valueName(metric.name, pipeline.name) }
  }
  return {}
}

function once(note: (text: string) => void): (text: string) => void {
  const said = new Set<string>()
  return text => {
    if (said.has(text)) return
    said.add(text)
    note(text)
  }
}
