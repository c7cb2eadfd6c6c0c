import type { Aggregate, AnsweredDoc, ScoreBody, TaskJudging } from '../../cache/records.js'
import { aggregator, type Aggregator, type Totals } from './aggregate.js'
import { compileScoring, isAfter, type CompiledScoring } from './compile/compile-scoring.js'
import type { JudgeRegistry } from './compile/registry.js'
import { failedScore, scoreDoc, valueName } from './score-doc.js'
import type { ScoringSpec } from './compile/scoring-spec.js'

/** How one task's docs become scores, and its scores numbers. */
export interface Scorer {
  readonly task: string
  /** What the score keys say of it. */
  readonly judging: TaskJudging
  /** Fields of the doc by which scores are given apart. */
  readonly breakdown: readonly string[]
  /**
   * At once where nothing is waited for. Never throws for what a doc, a metric or the task's own code does: that is an outcome. Within
   * code that has a time limit already, that one ends it.
   */
  score(doc: AnsweredDoc): ScoreBody | Promise<ScoreBody>
  /** Whether scoring a doc may take long, so that it is to be called within a time limit. */
  readonly needsTimeLimit: boolean
  /** The score of a doc whose scoring was ended from outside. */
  failed(doc: AnsweredDoc, reason: string): ScoreBody
  aggregator(): Aggregator
  /** The name of the first value in a score whose mean is reported. */
  readonly meanOf?: string
  /** Scores in the order of docs. */
  aggregate(scores: Iterable<ScoreBody>, totals: Totals): readonly Aggregate[]
}

/**
 * Reads a task's scoring rules. With several samples of a doc the first one is scored, unless a filter makes another of them.
 *
 * @throws PipelineError with all unknown names and wrong arguments at once.
 */
export function makeScorer(spec: ScoringSpec, registry: JudgeRegistry): Scorer {
  const scoring = compileScoring(spec, registry)
  const told = { ...spec, ...(spec.note && { note: once(spec.note) }) }
  const start = (): Aggregator => aggregator(spec.task, scoring)
  return {
    task: spec.task,
    judging: {
      config: { ...spec.config, output_type: spec.outputType, ...(spec.parity && { parity: spec.parity }) },
      scorer: spec.scorerCode,
    },
    breakdown: scoring.config.breakdown,
    ...meanOf(scoring),
    score: doc => scoreDoc(doc, scoring, told),
    needsTimeLimit: scoring.needsTimeLimit,
    failed: (doc, reason) => failedScore(doc, reason, { scoring, spec }),
    aggregator: start,
    aggregate(scores, totals) {
      const collected = start()
      for (const body of scores) collected.add(body)
      return collected.finish(totals)
    },
  }
}

function meanOf({ metrics, pipelines }: CompiledScoring): Pick<Scorer, 'meanOf'> {
  for (const metric of metrics) {
    const pipeline = pipelines.find(one => isAfter(metric, one))
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
