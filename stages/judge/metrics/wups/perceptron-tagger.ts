import { addCount } from '../../../../base/collections/counts.js'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** Returns the part of speech of each word of a sentence, as a tag of the Penn Treebank. */
export type Tagger = (words: readonly string[]) => readonly string[]

const model = 'averaged_perceptron_tagger_eng'

const weightsSchema = z.record(z.string(), z.record(z.string(), z.number()))
const tagsSchema = z.record(z.string(), z.string())
const classesSchema = z.array(z.string())

interface Model {
  /** For each feature of a word and its neighbours, the weight that it gives each tag. */
  readonly weights: ReadonlyMap<string, Readonly<Record<string, number>>>
  /** Words that always have the same tag. */
  readonly tags: ReadonlyMap<string, string>
  readonly classes: readonly string[]
}

/**
 * The averaged perceptron tagger with the weights of a folder (`averaged_perceptron_tagger_eng`).
 *
 * Source: Honnibal (2013), textblob-aptagger, as in NLTK 3.9.1 (`tag/perceptron.py`).
 *
 * @throws if a file is missing or malformed.
 */
export function openTagger(folder: string): Tagger {
  const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, `${model}.${name}.json`), 'utf8'))
  const weights = weightsSchema.parse(read('weights'))
  const perceptron: Model = {
    weights: new Map(Object.entries(weights)),
    tags: new Map(Object.entries(tagsSchema.parse(read('tagdict')))),
    classes: classesSchema.parse(read('classes')),
  }
  return words => tagWords(words, perceptron)
}

function tagWords(words: readonly string[], model: Model): readonly string[] {
  const context = ['-START-', '-START2-', ...words.map(normalizeWord), '-END-', '-END2-']
  const tags: string[] = []
  for (const [index, word] of words.entries()) {
    const before = [tags[index - 1] ?? '-START-', tags[index - 2] ?? (index === 0 ? '-START2-' : '-START-')] as const
    tags.push(model.tags.get(word) ?? best(features(word, context.slice(index, index + 5), before), model))
  }
  return tags
}

/** The tag with the highest score. If scores are equal, the last tag by name. */
function best(wordFeatures: readonly string[], { weights, classes }: Model): string {
  const scores = new Map<string, number>()
  for (const feature of wordFeatures)
    for (const [tag, weight] of Object.entries(weights.get(feature) ?? {})) addCount(scores, tag, weight)
  const score = (tag: string): number => scores.get(tag) ?? 0
  return classes.reduce((chosen, tag) =>
    score(tag) > score(chosen) || (score(tag) === score(chosen) && tag > chosen) ? tag : chosen,
  )
}

/**
 * The features of a word: its prefix and suffix, the two words before it with their tags, and the two words after
 * it.
 */
function features(
  word: string,
  [before2 = '', before = '', own = '', behind = '', behind2 = '']: readonly string[],
  [tag, tag2]: readonly [string, string],
): readonly string[] {
  const first = word === '' ? '' : String.fromCodePoint(word.codePointAt(0) ?? 0)
  return [
    'bias',
    `i suffix ${suffix(word)}`,
    `i pref1 ${first}`,
    `i-1 tag ${tag}`,
    `i-2 tag ${tag2}`,
    `i tag+i-2 tag ${tag} ${tag2}`,
    `i word ${own}`,
    `i-1 tag+i word ${tag} ${own}`,
    `i-1 word ${before}`,
    `i-1 suffix ${suffix(before)}`,
    `i-2 word ${before2}`,
    `i+1 word ${behind}`,
    `i+1 suffix ${suffix(behind)}`,
    `i+2 word ${behind2}`,
  ]
}

const suffix = (word: string): string => Array.from(word).slice(-3).join('')

// Python's `str.isdigit()`: decimal digits and others, such as superscript and circled digits.
const digit =
  '[\\p{Nd}²³¹፩-፱᧚⁰⁴-⁹₀-₉①-⑨⑴-⑼⒈-⒐⓪⓵-⓽⓿❶-❾➀-➈➊-➒\\u{10a40}-\\u{10a43}\\u{10e60}-\\u{10e68}\\u{11052}-\\u{1105a}\\u{1f100}-\\u{1f10a}]'
const year = new RegExp(`^${digit}{4}$`, 'u')
const leadingDigit = new RegExp(`^${digit}`, 'u')

function normalizeWord(word: string): string {
  if (word.includes('-') && !word.startsWith('-')) return '!HYPHEN'
  if (year.test(word)) return '!YEAR'
  return leadingDigit.test(word) ? '!DIGITS' : word.toLowerCase()
}
