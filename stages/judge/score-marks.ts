/** What a score notes about a doc beside its values: labels, cluster, and properties of its answers. */
import { canonicalJson } from '../../base/values/canonical-json.js'
import { ownValue } from '../../base/values/named-values.js'
import { stripWhiteSpace } from '../../base/python/white-space.js'
import type { AnsweredDoc, JudgeRecord, ResponseBody, ScoreBody } from '../../cache/records.js'
import type { CompiledScoring } from './compile/compile-scoring.js'
import { givesLogprobs, type ScoringSpec } from './compile/scoring-spec.js'
import { reasoningLength, spokenText, type ReasoningTag } from './text/reasoning.js'

/**
 * The labels of a doc for the breakdown: the values of the named fields, as texts. Absent and null fields have no
 * label.
 */
export function labelsOf(doc: JudgeRecord['doc'], fields: readonly string[]): Readonly<Record<string, string>> {
  const labels = fields.flatMap(field => {
    const value = ownValue(doc, field)
    if (value === undefined || value === null) return []
    return [[field, typeof value === 'object' ? canonicalJson(value) : String(value)] as const]
  })
  return Object.fromEntries(labels)
}

/** The marks of a doc's score. Fields that do not apply are undefined. */
export function marksOf(
  doc: AnsweredDoc,
  bodies: readonly ResponseBody[],
  { config }: CompiledScoring,
  { outputType }: ScoringSpec,
): Pick<ScoreBody, 'empty' | 'cut' | 'ending' | 'reasoning' | 'groups' | 'cluster'> {
  const groups = config.breakdown.length === 0 ? undefined : labelsOf(doc.record.doc, config.breakdown)
  const { cluster_key: key } = config
  const marks = givesLogprobs(outputType) ? undefined : answerMarks(bodies, config.reasoning_tags)
  return {
    empty: marks?.empty,
    cut: marks?.cut,
    ending: marks?.ending,
    reasoning: marks?.reasoning,
    groups: groups === undefined || Object.keys(groups).length === 0 ? undefined : groups,
    cluster: key === undefined ? undefined : ownValue(labelsOf(doc.record.doc, [key]), key),
  }
}

/** Marks of the first answer (empty, cut, ending), and the length of the reasoning in all answers. */
function answerMarks(
  bodies: readonly ResponseBody[],
  tags: readonly ReasoningTag[],
): Pick<ScoreBody, 'empty' | 'cut' | 'ending' | 'reasoning'> {
  const [first] = bodies
  const reasoning = bodies.reduce((sum, body) => sum + reasoningLength(body, tags), 0)
  return {
    empty: first === undefined || stripWhiteSpace(spokenText(first, tags)) === '' || undefined,
    cut: first?.finishReason === 'length' || undefined,
    ending: first?.finishReason === 'unknown' ? first.rawFinishReason : undefined,
    reasoning: reasoning > 0 ? reasoning : undefined,
  }
}
