import { loadAllJudges, type JudgeRegistry } from '../../stages/judge/registry.js'
import { makeScorer as makeScorerOf, type Scorer } from '../../stages/judge/scorer.js'
import type { ScoringSpec } from '../../stages/judge/scoring-spec.js'

/** All that comes with the program. */
export const builtInJudges = await loadAllJudges()

export const makeScorer = (spec: ScoringSpec, registry: JudgeRegistry = builtInJudges): Scorer =>
  makeScorerOf(spec, registry)
