import { z } from 'zod'
import { splitWhiteSpace } from '../../../../base/python/white-space.js'
import { bare, defineAggregation } from '../../define/define-aggregation.js'
import { defineMetric, scored } from '../../define/define-metric.js'
import { collectTerms } from '../../statistics/resampling/doc-terms.js'
import { numberNgrams, type Ngrams } from '../sacrebleu/ngrams.js'
import { captionShape, captionText } from './caption-words.js'

/**
 * CIDEr-D: how many of the references' rare n-grams are in the caption. A doc's value is its captions' words,
 * because the weights depend on the references of all docs. The aggregate is the mean over images, in [0, 10].
 * Higher is better.
 *
 * Source: Vedantam et al. (2015), as pycocoevalcap 1.2 computes it (COCO caption evaluation, Chen et al., 2015).
 */
export const cider = defineMetric({
  id: 'cider',
  args: z.strictObject(captionShape),
  higherIsBetter: true,
  aggregation: 'cider',
  judge({ text, references }, options) {
    if (references.length === 0) throw new Error('CIDEr compares with references, and this doc has none')
    const caption = (sentence: string): string => captionText(sentence, options)
    return scored({ answer: caption(text), references: references.map(caption) })
  },
})

const segment = z.object({ answer: z.string(), references: z.array(z.string()).min(1) })

/** A reference or a list of them, and the answer, as texts. */
const texts = z.tuple([
  z.union([z.string().transform(reference => [reference]), z.array(z.string()).min(1)]),
  z.string(),
])

/**
 * CIDEr of all docs as one corpus: the mean of the images' scores, in [0, 10]. It takes values of the metric
 * `cider`, or `[reference(s), answer]`, which it tokenizes.
 *
 * The weight of an n-gram depends on the references of all docs. The words of all captions are therefore kept in
 * memory until the end. Computing the scores needs eight more bytes for each n-gram of each caption, and about
 * fifty for each distinct n-gram.
 *
 * Its interval is the bootstrap's of the images' scores. The weights of n-grams stay those of all docs.
 *
 * Source: pycocoevalcap 1.2, `Cider().compute_score`.
 */
export const ciderAggregation = defineAggregation({
  id: 'cider',
  of: 'folded',
  args: z.object(captionShape),
  start: options => {
    const segments: CaptionSegment[] = []
    let scores: Float64Array = new Float64Array()
    return {
      add(value) {
        const pair = texts.safeParse(value)
        if (pair.success) {
          const [references, answer] = pair.data
          segments.push({
            answer: captionText(answer, options),
            references: references.map(reference => captionText(reference, options)),
          })
          return
        }
        const parsedSegment = segment.safeParse(value)
        if (!parsedSegment.success) {
          const valueText = JSON.stringify(value).slice(0, 200)
          throw new Error(`it takes the metric's captions or [reference(s), answer], not ${valueText}`)
        }
        segments.push(parsedSegment.data)
      },
      finish() {
        scores = ciderScores(segments)
        return bare(scores.reduce((sum, score) => sum + score, 0) / scores.length)
      },
      resample() {
        const terms = collectTerms()
        for (const score of scores) terms.add([score, 1])
        return { terms, combine: ({ 0: sum = 0, 1: count = 0 }) => sum / count, isFixed: true }
      },
    }
  },
})

/** An image's captions. Words are separated by white space. */
interface CaptionSegment {
  readonly answer: string
  readonly references: readonly string[]
}

const longest = 4

/** The width of the penalty for a difference in length. */
const sigma = 6

/**
 * CIDEr of each image, in [0, 10]. It is the cosine between the n-grams of answer and reference, weighted by
 * rarity: the fewer images have an n-gram in a reference, the more it counts. Counts are clipped at the
 * reference's, and different lengths lower the score. It is averaged over references and over n from 1 to 4, times
 * 10. With a single image all weights are 0, and so is the score.
 *
 * Source: Vedantam et al. (2015), in the form called CIDEr-D, as pycocoevalcap 1.2, `cider/cider_scorer.py`.
 *
 * @throws Error if an image has no reference.
 */
export function ciderScores(segments: readonly CaptionSegment[]): Float64Array {
  const texts = segments.flatMap(({ answer, references }) => [answer, ...references])
  const { sequences, size } = numberNgrams(texts.map(splitWhiteSpace), longest)
  const images: Ngrams[][] = []
  let at = 0
  for (const { references } of segments) {
    if (references.length === 0) throw new Error('CIDEr compares with references, and a doc has none')
    images.push(sequences.slice(at, (at += references.length + 1)))
  }
  const weights = rarities(images, size)
  return Float64Array.from(images, ([answer = [], ...references]) => {
    const own = computeVectors(answer, weights)
    const sum = references.reduce((total, reference) => total + similarity(own, computeVectors(reference, weights)), 0)
    return (10 * sum) / longest / references.length
  })
}

/** By n-gram: the logarithm of the number of images divided by that of images with it in a reference. */
function rarities(images: readonly (readonly Ngrams[])[], size: number): Float64Array {
  const frequencies = new Uint32Array(size)
  for (const [, ...references] of images) {
    for (const ngram of new Set(references.flat(2))) frequencies[ngram] = (frequencies[ngram] ?? 0) + 1
  }
  const logImages = Math.log(images.length)
  return Float64Array.from(frequencies, frequency => logImages - Math.log(Math.max(1, frequency)))
}

interface Vectors {
  /** For each n: the weight of each n-gram, its count times its rarity, and the norm. */
  readonly orders: readonly { readonly weights: ReadonlyMap<number, number>; readonly norm: number }[]
  /** The number of bigrams. */
  readonly length: number
}

function computeVectors(ngrams: Ngrams, rarity: Float64Array): Vectors {
  const orders = ngrams.map(order => {
    const weights = new Map<number, number>()
    for (const ngram of order) weights.set(ngram, (weights.get(ngram) ?? 0) + (rarity[ngram] ?? 0))
    let squares = 0
    for (const weight of weights.values()) squares += weight ** 2
    return { weights, norm: Math.sqrt(squares) }
  })
  return { orders, length: ngrams[1]?.length ?? 0 }
}

/** The sum over n of the clipped cosines, times the penalty for a difference in length. */
function similarity(own: Vectors, other: Vectors): number {
  const penalty = Math.exp(-((own.length - other.length) ** 2) / (2 * sigma ** 2))
  const cosines = own.orders.map(({ weights, norm }, i) => {
    const reference = other.orders[i]
    if (reference === undefined || norm === 0 || reference.norm === 0) return 0
    let product = 0
    for (const [ngram, weight] of weights) {
      const wanted = reference.weights.get(ngram) ?? 0
      product += Math.min(weight, wanted) * wanted
    }
    return product / (norm * reference.norm)
  })
  return cosines.reduce((sum, cosine) => sum + cosine, 0) * penalty
}
