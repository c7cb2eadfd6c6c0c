/** What the metrics of classes have in common: how an answer becomes one. */
import { z } from 'zod'
import { classShape } from '../../aggregations/classes/class-fold.js'
import { chosenIndex } from '../../choice.js'
import { scored, unparsed, type MetricInput, type Verdict } from '../../define-metric.js'
import { targetIndexes } from '../../target.js'
import type { Label } from '../classification/confusion.js'

export const classArgs = z.strictObject(classShape)

/** The classes that an answer may be, where a task says so. */
export const labelArgs = z.strictObject({ labels: classShape.labels })

/**
 * `[target, answer]` of one doc. Of choices: their indexes, the answer being the likeliest one. Of a text: the target and the answer as
 * they are; an answer that is empty, or none of `labels`, is unparsed, a miss of its target and no class of its own. Of several targets
 * that one counts which the answer is, else the first.
 */
export function judgeClass(input: MetricInput, labels?: readonly Label[]): Verdict {
  if (input.bodies[0]?.logprob !== undefined) return judgeChoiceIndex(input)
  const { text, references } = input
  const gold = references.find(reference => reference === text) ?? references[0]
  if (gold === undefined) throw new Error('the doc has no target')
  if (text === '') return unparsed('the answer is empty', [gold, null])
  if (labels !== undefined && !labels.some(label => String(label) === text))
    return unparsed(`the answer is none of ${labels.join(', ')}`, [gold, null])
  return scored([gold, text])
}

function judgeChoiceIndex(input: MetricInput): Verdict {
  const { target, choices = [] } = input.record
  const answer = chosenIndex(input)
  const golds = targetIndexes(target, [choices], choices.length)
  const gold = golds.includes(answer) ? answer : golds[0]
  if (gold === undefined) throw new Error(`the target ${JSON.stringify(target)} is none of the choices`)
  return scored([gold, answer])
}
