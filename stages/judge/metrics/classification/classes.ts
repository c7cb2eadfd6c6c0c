/** Shared code of the classification metrics: how an answer becomes a class, and how pairs of classes are counted. */
import { pythonText } from '../../../../base/python/python-text.js'
import { z } from 'zod'
import type { Json } from '../../../../base/values/canonical-json.js'
import { chosenIndex } from '../../define/choice.js'
import { bare, type Fold, type Summary } from '../../define/define-aggregation.js'
import { scored, unparsed, type MetricInput, type Verdict } from '../../define/define-metric.js'
import { targetIndexes } from '../../define/target.js'
import { plainText, textRules, type TextRules } from '../text-rules.js'
import { newConfusion, type Confusion, type Label } from './confusion.js'
import { collectPairs } from './pair-terms.js'

export const label = z.union([z.string(), z.number(), z.boolean()])

/** Arguments that select classes and the average over them. */
export const classShape = {
  average: z.enum(['binary', 'macro', 'micro', 'weighted']).default('binary'),
  /** The positive class for `average: binary`. */
  pos_label: label.default(1),
  /** The classes. An answer that is none of them is unparsed. @default the classes that occur */
  labels: z.array(label).min(1).optional(),
  /** The value of a rate with a denominator of 0; `nan` leaves it out of a mean. */
  zero_division: z
    .union([z.literal(0), z.literal(1), z.nan(), z.enum(['nan', 'NaN'])])
    .default(0)
    .transform(Number),
}

const pair = z.union([
  z.tuple([label, label.nullable()]).rest(z.number().min(0)),
  z
    .object({ gold: label, answer: label.nullable() })
    .transform(({ gold, answer }): [z.output<typeof label>, z.output<typeof label> | null] => [gold, answer]),
])

/** Reads a value `[target, answer]` with an optional weight. @throws Error if it is something else. */
export function readPair(value: Json): {
  readonly gold: Label
  readonly answer: Label | null
  readonly weight: number | undefined
} {
  const parsed = pair.safeParse(value)
  if (!parsed.success) throw new Error(`it takes [target, answer], not ${JSON.stringify(value).slice(0, 200)}`)
  const [gold, answer, weight] = parsed.data
  return { gold, answer, weight }
}

/**
 * Counts values `[target, answer]` with an optional weight. An answer of null is unparsed.
 *
 * @param measureCost about how many additions `summarise` is as long as, by the number of classes
 */
export function classFold(
  summarise: (confusion: Confusion) => number | Summary,
  measureCost: (classes: number) => number = classes => 100 * classes,
): Fold {
  const confusion = newConfusion()
  const pairs = collectPairs()
  return {
    add(value: Json) {
      const { gold, answer, weight } = readPair(value)
      confusion.add(gold, answer, weight)
      pairs.add(gold, answer, weight)
    },
    finish() {
      const summary = summarise(confusion)
      return typeof summary === 'number' ? finite(summary) : summary
    },
    resample: () => ({
      terms: pairs.terms,
      combine(sums) {
        const summary = summarise(pairs.readConfusion(sums))
        return typeof summary === 'number' ? summary : Number.NaN
      },
      cost: 100 * pairs.pairs + measureCost(confusion.labels().length),
    }),
  }
}

interface PairInterval {
  /** Receives the classes of each doc. */
  see(pair: ReturnType<typeof readPair>): void
  /** Gives the summary an interval. It is not called if docs have weights. */
  addInterval(summary: Summary, clusters: Parameters<Fold['finish']>[0]): Summary
}

/** Gives the value of classes an interval that is made from their pairs. Docs with weights keep the fold's own. */
export function withPairInterval(classes: Fold, interval: PairInterval): Fold {
  let isWeighted = false
  return {
    ...classes,
    add(value) {
      classes.add(value)
      const pair = readPair(value)
      isWeighted ||= pair.weight !== undefined && pair.weight !== 1
      interval.see(pair)
    },
    finish(clusters) {
      const summary = classes.finish()
      return isWeighted ? summary : interval.addInterval(summary, clusters)
    },
  }
}

/** The summary of a number, which is null if the number is not finite. */
export const finite = (value: number): Summary => bare(Number.isFinite(value) ? value : null)

export const classArgs = z.strictObject({ ...classShape, ...textRules })

/** Arguments of metrics that only need the possible classes. */
export const labelArgs = z.strictObject({ labels: classShape.labels, ...textRules })

interface ClassRules extends TextRules {
  readonly labels?: readonly Label[] | undefined
}

/**
 * Returns `[target, answer]` of one doc. For choices, both are indexes, and the answer is the most likely choice.
 * For texts, both are unchanged. An empty answer, or one that is not in `labels`, is unparsed: a miss of its target
 * and not a class of its own. If there are several targets, the one that equals the answer counts, else the first.
 * Texts are compared after removing what `rules` ignore. A class is its label, or the rest of its text.
 */
export function judgeClass(input: MetricInput, rules: ClassRules): Verdict {
  if (input.bodies[0]?.logprob !== undefined) return judgeChoiceIndex(input)
  const { labels } = rules
  const matchClass = (text: string): string => {
    const plain = plainText(text, rules)
    return labels?.map(pythonText).find(label => plainText(label, rules) === plain) ?? plain
  }
  const answer = matchClass(input.text)
  const golds = input.references.map(matchClass)
  const gold = golds.find(reference => reference === answer) ?? golds[0]
  if (gold === undefined) throw new Error('the doc has no target')
  if (answer === '') return unparsed('the answer is empty', [gold, null])
  if (labels !== undefined && !labels.some(label => pythonText(label) === answer))
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
