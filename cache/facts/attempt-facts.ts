/** Selects the facts about attempts that scores depend on. */
import { canonicalJson, isList, type Json } from '../../base/values/canonical-json.js'
import { present } from '../../base/values/present.js'
import { sha256, type AnswerDigest } from '../digest.js'
import type { AttemptFact, AttemptFacts, Judgement, ResponseMeta, ScoringRules } from '../records.js'

/** The key of a judge configuration that lists the facts which its scores depend on. */
export const attemptsKey = 'score_attempts'

/** Lists the facts that scores by a judge configuration depend on. Most have none. */
export function listConfiguredFacts(config: ScoringRules | undefined): readonly AttemptFact[] {
  const facts = config?.[attemptsKey]
  return isList(facts) ? facts.filter(fact => fact === 'latency' || fact === 'cost') : []
}

/** Lists the facts that the scores of a task depend on. */
export const listAttemptFacts = (judgement: Judgement, task: number): readonly AttemptFact[] =>
  listConfiguredFacts(judgement.tasks[task]?.judging.config)

/** Tells whether the scores of any task of a judgement depend on attempts. */
export const readsAttempts = (judgement: Judgement): boolean =>
  judgement.tasks.some((_, task) => listAttemptFacts(judgement, task).length > 0)

/** Selects the facts that scoring reads from an answer's metadata. @returns undefined if it reads none */
export function takeAttemptFacts(
  { durationMs, usage = {}, batch }: ResponseMeta,
  facts: readonly AttemptFact[],
): AttemptFacts | undefined {
  if (facts.length === 0) return undefined
  const { inputTokens, outputTokens, cachedTokens, audioTokens } = usage
  return present({
    // The duration of an imported answer may be unknown, which is 0.
    seconds: facts.includes('latency') && batch !== true && durationMs > 0 ? durationMs / 1000 : undefined,
    ...(facts.includes('cost') && { inputTokens, outputTokens, cachedTokens, audioTokens, isBatch: batch }),
  })
}

/**
 * The digest of an answer in the key of a score. If the score depends on the attempt, it is a digest of the answer and of these facts: equal answers that took
 * different times have scores of their own.
 */
export const scoredDigest = ({
  digest,
  attempt,
}: {
  readonly digest: AnswerDigest
  readonly attempt?: AttemptFacts | undefined
}): AnswerDigest =>
  attempt === undefined ? digest : sha256<'answer'>(canonicalJson({ answer: digest, attempt: attempt as Json, v: 1 }))
