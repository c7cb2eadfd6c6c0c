/** What the metrics of classes have in common: how an answer becomes one. */
import { z } from 'zod'
import { classShape } from '../../aggregations/classes/class-fold.js'
import { chosenIndex } from '../../choice.js'
import { scored, unparsed, type MetricInput, type Verdict } from '../../define-metric.js'
import { targetIndexes } from '../../target.js'
import type { Label } from '../classification/confusion.js'
import { plainText, textRules, type TextRules } from './text-rules.js'

export const classArgs = z.strictObject({ ...classShape, ...textRules })

/** The classes that an answer may be, where a task says so. */
export const labelArgs = z.strictObject({ labels: classShape.labels, ...textRules })

interface ClassRules extends TextRules {
  readonly labels?: readonly Label[] | undefined
}

/**
 * `[target, answer]` of one doc. Of choices: their indexes, the answer being the likeliest one. Of a text: the target and the answer as
 * they are; an answer that is empty, or none of `labels`, is unparsed, a miss of its target and no class of its own. Of several targets
 * that one counts which the answer is, else the first. Texts are compared without what `rules` pass over, and a class is its label, or else
 * what is left of its text.
 */
export function judgeClass(input: MetricInput, rules: ClassRules): Verdict {
  if (input.bodies[0]?.logprob !== undefined) return judgeChoiceIndex(input)
  const { labels } = rules
  const classOf = (given: string): string => {
    const plain = plainText(given, rules)
    return labels?.map(String).find(label => plainText(label, rules) === plain) ?? plain
  }
  const answer = classOf(input.text)
  const golds = input.references.map(classOf)
  const gold = golds.find(one => one === answer) ?? golds[0]
  if (gold === undefined) throw new Error('the doc has no target')
  if (answer === '') return unparsed('the answer is empty', [gold, null])
  if (labels !== undefined && !labels.some(label => String(label) === answer))
    return unparsed(`the answer is none of ${labels.join(', ')}`, [gold, null])
  return scored([gold, answer])
}

function judgeChoiceIndex(input: MetricInput): Verdict {
  const { target, choices = [] } = input.record
  const answer = chosenIndex(input)
  const golds = targetIndexes(target, [choices], choices.length)
  const gold = golds.includes(answer) ? answer : golds[0]
  if (gold === undefined) throw new Error(`the target ${JSON.stringify(target)} is none of the choices`)
  return scored([gold, answer])
}
