import type { ScoreBody } from '../../cache/records.js'
import { loadAllJudges, type JudgeRegistry } from '../../stages/judge/compile/registry.js'
import { makeScorer as makeScorerOf, type Scorer } from '../../stages/judge/scorer.js'
import type { ScoringSpec } from '../../stages/judge/compile/scoring-spec.js'

/** All built-in metrics, filters and aggregations. */
export const builtInJudges = await loadAllJudges()

/** Makes a scorer that always returns promises. One that does not need them returns scores directly. */
export function makeScorer(
  spec: ScoringSpec,
  registry: JudgeRegistry = builtInJudges,
): Omit<Scorer, 'score'> & { readonly score: (...given: Parameters<Scorer['score']>) => Promise<ScoreBody> } {
  const scorer = makeScorerOf(spec, registry)
  return { ...scorer, score: async (...given) => scorer.score(...given) }
}
