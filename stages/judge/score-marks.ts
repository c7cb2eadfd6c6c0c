/** The notes of a score about a doc beside its values: labels, cluster, and properties of its answers. */
import { labelText } from '../../base/python/python-text.js'
import { ownValue } from '../../base/values/named-values.js'
import { stripWhiteSpace } from '../../base/python/white-space.js'
import type { AnsweredDoc, JudgeRecord, ResponseBody, ScoreBody } from '../../cache/records.js'
import type { CompiledScoring } from './compile/compile-scoring.js'
import { givesLogprobs, type ScoringSpec } from './compile/scoring-spec.js'
import { reasoningLength, spokenText, type ReasoningTag } from './text/reasoning.js'

/** The label of docs with an absent or null field. */
export const noLabel = '(none)'
const emptyLabel = '(empty)'
const ownLabels: readonly string[] = [noLabel, emptyLabel]

/**
 * The labels of a doc for the breakdown, one for each field: values as Python prints them. Without a value the label is
 * {@link noLabel}, so that the rows of a breakdown add up to all docs.
 */
export const readLabels = (
  record: Pick<JudgeRecord, 'doc' | 'printed'>,
  fields: readonly string[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(fields.map(field => [field, makeLabel(printValue(record, field))]))

/** Makes the label of a value. A text that reads like a label for missing values stands in quotation marks. */
export function makeLabel(value: string | undefined): string {
  if (value === undefined) return noLabel
  if (stripWhiteSpace(value) === '') return emptyLabel
  return ownLabels.includes(value) ? JSON.stringify(value) : value
}

/** The value of a field as a text; undefined if it is absent or null. */
function printValue(
  { doc, printed: { fields: texts = {} } = {} }: Pick<JudgeRecord, 'doc' | 'printed'>,
  field: string,
): string | undefined {
  const value = ownValue(doc, field)
  return value === undefined || value === null ? undefined : (ownValue(texts, field) ?? labelText(value))
}

/** The `cluster_key` of tasks whose docs count as independent. */
export const independent = 'none'

/** The marks of a doc's score. Fields that do not apply are undefined. */
export function collectMarks(
  doc: AnsweredDoc,
  bodies: readonly ResponseBody[],
  { config }: CompiledScoring,
  { outputType }: ScoringSpec,
): Pick<ScoreBody, 'empty' | 'cut' | 'ending' | 'reasoning' | 'groups' | 'cluster'> {
  const groups = config.breakdown.length === 0 ? undefined : readLabels(doc.record, config.breakdown)
  const { cluster_key: key } = config
  const marks = givesLogprobs(outputType) ? undefined : answerMarks(bodies, config.reasoning_tags)
  return {
    empty: marks?.empty,
    cut: marks?.cut,
    ending: marks?.ending,
    reasoning: marks?.reasoning,
    groups,
    cluster: key === undefined || key === independent ? undefined : printValue(doc.record, key),
  }
}

const isEmpty = (body: ResponseBody, tags: readonly ReasoningTag[]): boolean =>
  body.content === undefined && stripWhiteSpace(spokenText(body, tags)) === ''

/** Marks of the first answer (empty, cut, ending), and the length of the reasoning in all answers. */
export function answerMarks(
  bodies: readonly ResponseBody[],
  tags: readonly ReasoningTag[],
): Pick<ScoreBody, 'empty' | 'cut' | 'ending' | 'reasoning'> {
  const [first] = bodies
  const reasoning = bodies.reduce((sum, body) => sum + reasoningLength(body, tags), 0)
  return {
    empty: first === undefined || isEmpty(first, tags) || undefined,
    cut: first?.finishReason === 'length' || undefined,
    ending: first?.finishReason === 'unknown' ? first.rawFinishReason : undefined,
    reasoning: reasoning > 0 ? reasoning : undefined,
  }
}
