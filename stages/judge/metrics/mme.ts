/** MME's metrics and aggregations. A doc's value names its image. */
import { z } from 'zod'
import type { Json } from '../../../base/values/canonical-json.js'
import { ownValue } from '../../../base/values/named-values.js'
import { summariseWith } from '../aggregations/means.js'
import { bare, defineAggregation, type Clusters, type Resampling } from '../define/define-aggregation.js'
import { defineMetric, scored, unparsed, type MetricInput, type Verdict } from '../define/define-metric.js'
import { collectTerms } from '../statistics/resampling/doc-terms.js'
import { neither, readYesNo, yesNoArgs } from './yes-no.js'

const mmeArgs = yesNoArgs.extend({
  /** The rule for reading the answer. MME's own script uses `prefix`. */
  read: z.enum(['words', 'exact', 'prefix']).default('prefix'),
  /** The doc field with the category. */
  category: z.string().default('category'),
  /** The doc field whose value both questions of an image share. */
  picture: z.string().default('question_id'),
})

function judgeMme(input: MetricInput, args: z.output<typeof mmeArgs>): Verdict {
  const { gold, answer } = readYesNo(input, args.read)
  const labels = { category: textField(input, args.category), picture: textField(input, args.picture) }
  if (answer === undefined) return unparsed(neither, { ...labels, score: 0 })
  return scored({ ...labels, score: answer === gold ? 1 : 0 })
}

function textField({ record }: MetricInput, name: string): string {
  const value = ownValue(record.doc, name)
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  throw new Error(`the doc has no field "${name}" with a text or a number, by which MME's pairs are told apart`)
}

/**
 * MME's score: accuracy and accuracy+ in per cent, summed over categories, so 0 to 200 for each category. Accuracy+
 * is the share of images with both questions correct. An image with only one question is an error. Higher is
 * better.
 *
 * Source: Fu et al. 2023 (https://arxiv.org/abs/2306.13394), section 2.2.
 */
export const mme = defineMetric({
  id: 'mme',
  args: mmeArgs,
  higherIsBetter: true,
  aggregation: 'mme',
  judge: judgeMme,
})

/**
 * MME's accuracy+: the share of images with both questions correct, 0 to 1. Higher is better. Its plain accuracy is
 * `yes_no`.
 *
 * Source: Fu et al. 2023 (https://arxiv.org/abs/2306.13394), section 2.2.
 */
export const mmeAccPlus = defineMetric({
  id: 'mme_acc_plus',
  args: mmeArgs,
  higherIsBetter: true,
  aggregation: 'mme_acc_plus',
  judge: judgeMme,
})

const answer = z.object({ category: z.string(), picture: z.string(), score: z.number() })

/** Collects MME's answers from the docs' values, `{category, picture, score}`. */
function collectAnswers() {
  const answers: MmeAnswer[] = []
  return {
    answers,
    addAnswer: (value: Json): void => {
      const { category, picture, score } = answer.parse(value)
      answers.push({ category, picture, isRight: score === 1 })
    },
  }
}

/** The pictures, each with the cluster of its first question. */
function listPictures(answers: readonly MmeAnswer[], clusters: Clusters | undefined) {
  const pictures = new Map<string, { readonly category: string; right: number; readonly cluster: string }>()
  for (const [at, { category, picture, isRight }] of answers.entries()) {
    const key = JSON.stringify([category, picture])
    const entry = pictures.get(key) ?? { category, right: 0, cluster: clusters?.[at] ?? key }
    pictures.set(key, entry)
    entry.right += isRight ? 1 : 0
  }
  return [...pictures.values()]
}

/**
 * MME's score from `{category, picture, score}`: accuracy and accuracy+ in per cent, summed over categories. See
 * {@link mmeScore}.
 */
export const mmeAggregation = defineAggregation({
  id: 'mme',
  of: 'folded',
  args: z.object({}),
  start() {
    const { answers, addAnswer } = collectAnswers()
    return {
      add: addAnswer,
      finish() {
        const parts = Array.from(
          mmeCategories(answers),
          ([name, { accuracy, accuracyPlus }]) => `${name} ${(accuracy + accuracyPlus).toFixed(2)}`,
        )
        return { ...bare(mmeScore(answers)), note: parts.join(', ') }
      },
      resample: clusters => resamplePictures(answers, clusters),
    }
  },
})

/** Both questions of a picture are drawn together. A resample without a category has no score. */
function resamplePictures(answers: readonly MmeAnswer[], clusters: Clusters | undefined): Resampling {
  const pictures = listPictures(answers, clusters)
  const categories = [...new Set(pictures.map(({ category }) => category))]
  const numbers = new Map(categories.map((category, at) => [category, at]))
  const terms = collectTerms()
  for (const { category, right } of pictures) {
    const cell = 2 * (numbers.get(category) ?? 0)
    terms.addCells([
      [cell, 50 * right + (right === 2 ? 100 : 0)],
      [cell + 1, 1],
    ])
  }
  return {
    terms,
    clusters: pictures.map(({ cluster }) => cluster),
    combine: sums => categories.reduce((total, _, at) => total + (sums[2 * at] ?? 0) / (sums[2 * at + 1] ?? 0), 0),
    cost: 5 * categories.length,
  }
}

/** MME's accuracy+: the share of images with both questions correct, 0 to 1. */
export const mmeAccPlusAggregation = defineAggregation({
  id: 'mme_acc_plus',
  of: 'folded',
  args: z.object({}),
  start() {
    const { answers, addAnswer } = collectAnswers()
    return {
      add: addAnswer,
      finish(clusters) {
        const pooledAnswers = answers.map(mmeAnswer => ({
          ...mmeAnswer,
          picture: `${mmeAnswer.category} ${mmeAnswer.picture}`,
          category: 'all',
        }))
        const value = (mmeCategories(pooledAnswers).get('all')?.accuracyPlus ?? 0) / 100
        const pictures = listPictures(answers, clusters)
        const bothRight = Float64Array.from(pictures, ({ right }) => Number(right === 2))
        return { ...summariseWith(bothRight, clusters && pictures.map(({ cluster }) => cluster), [0, 1]), value }
      },
    }
  },
})

/**
 * MME's categories of perception. Each image has two questions, one with the answer yes and one with no.
 *
 * Source: Fu et al. 2023 (https://arxiv.org/abs/2306.13394), `eval_tool/calculation.py`; lmms-eval 0.7.2,
 * `tasks/mme/utils.py`.
 */

export const mmePerception: readonly string[] = [
  'existence',
  'count',
  'position',
  'color',
  'posters',
  'celebrity',
  'scene',
  'landmark',
  'artwork',
  'OCR',
]
export const mmeCognition: readonly string[] = [
  'commonsense_reasoning',
  'numerical_calculation',
  'text_translation',
  'code_reasoning',
]

/** One question. */
interface MmeAnswer {
  readonly category: string
  /** The value that both questions of an image share. */
  readonly picture: string
  readonly isRight: boolean
}

/** Both are in per cent; a category's score is their sum, 0 to 200. */
interface MmeCategory {
  readonly accuracy: number
  /** The share of images with both questions correct. */
  readonly accuracyPlus: number
}

/**
 * Accuracy and accuracy+ by category.
 *
 * @throws Error if an image does not have exactly two questions, which accuracy+ needs.
 */
function mmeCategories(answers: Iterable<MmeAnswer>): ReadonlyMap<string, MmeCategory> {
  const categories = new Map<string, Map<string, { asked: number; right: number }>>()
  for (const { category, picture, isRight } of answers) {
    const pictures = categories.get(category) ?? new Map<string, { asked: number; right: number }>()
    const counts = pictures.get(picture) ?? { asked: 0, right: 0 }
    categories.set(
      category,
      pictures.set(picture, { asked: counts.asked + 1, right: counts.right + (isRight ? 1 : 0) }),
    )
  }
  return new Map(Array.from(categories, ([category, pictures]) => [category, scoreCategory(category, pictures)]))
}

function scoreCategory(
  category: string,
  pictures: ReadonlyMap<string, { readonly asked: number; readonly right: number }>,
): MmeCategory {
  let right = 0
  let bothRight = 0
  for (const [picture, counts] of pictures) {
    if (counts.asked !== 2) {
      throw new Error(
        `picture "${picture}" of ${category} has ${counts.asked} question${counts.asked === 1 ? '' : 's'}, and MME ` +
          'scores pairs: choose docs by whole pictures',
      )
    }
    right += counts.right
    bothRight += counts.right === 2 ? 1 : 0
  }
  return { accuracy: (50 * right) / pictures.size, accuracyPlus: (100 * bothRight) / pictures.size }
}

/** The sum over categories of accuracy + accuracy+: 0 to 200 for each category. */
export function mmeScore(answers: Iterable<MmeAnswer>): number {
  let total = 0
  for (const { accuracy, accuracyPlus } of mmeCategories(answers).values()) total += accuracy + accuracyPlus
  return total
}
