/** The answers of a doc that its score depends on. */
import type { Answer, AnsweredDoc, ResponseBody } from '../../cache/records.js'
import type { CompiledScoring } from './compile/compile-scoring.js'
import { givesLogprobs, type ScoringSpec } from './compile/scoring-spec.js'
import { makeScoredAttempt, type ScoredAttempt } from './define/scored-attempt.js'

/** Lists the answers that are scored: the first sample of each choice, or every sample of a text. */
const listAnswers = ({ answers }: AnsweredDoc, outputType: string): readonly Answer[] =>
  givesLogprobs(outputType) ? answers.filter((answer, i) => answer.choice !== answers[i - 1]?.choice) : answers

/** Lists the bodies of the answers that are scored. */
export const listBodies = (doc: AnsweredDoc, outputType: string): readonly ResponseBody[] =>
  listAnswers(doc, outputType).map(answer => answer.body)

/** Lists the attempts of the answers that are scored. @returns undefined if scores do not depend on attempts. */
export function listAttempts(
  doc: AnsweredDoc,
  { config }: CompiledScoring,
  { outputType }: ScoringSpec,
): readonly ScoredAttempt[] | undefined {
  if (config.score_attempts === undefined) return undefined
  return listAnswers(doc, outputType).map(({ attempt = {} }) => makeScoredAttempt(attempt, config.price))
}
