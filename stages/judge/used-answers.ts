/** The answers of a doc that its score depends on. */
import type { Answer, AnsweredDoc, ResponseBody } from '../../cache/records.js'
import { stripWhiteSpace } from '../../base/python/white-space.js'
import type { Json } from '../../base/values/canonical-json.js'
import type { FilterPipeline } from './compile/compile-pipeline.js'
import type { CompiledScoring } from './compile/compile-scoring.js'
import { givesLogprobs, type ScoringSpec } from './compile/scoring-spec.js'
import { read, type Reading } from './define/define-filter.js'
import { makeScoredAttempt, type ScoredAttempt } from './define/scored-attempt.js'
import { listTexts, takeReadingText } from './score-body.js'
import { awaitValue, type Steps } from './steps.js'
import { spokenText, stripAsLmmsEval, stripReasoning } from './text/reasoning.js'

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

/** A doc whose answers a filter pipeline has read. */
interface ReadDoc {
  readonly bodies: readonly ResponseBody[]
  /** Undefined if the answers are log-likelihoods. */
  readonly readings: readonly Reading[] | undefined
  readonly scoring: CompiledScoring
  readonly spec: ScoringSpec
}

/** Lists the results for `process_results`. For several rounds, these are all answers, not the filtered last one. */
export function listResults({ bodies, readings, scoring, spec }: ReadDoc): readonly Json[] {
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

/** Applies a filter pipeline to the answers without their reasoning. @returns the texts of the samples after the filters, at least one */
export function* applyFilters(
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
