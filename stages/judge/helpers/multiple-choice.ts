/**
 * Reads option letters from free text by the rules of lmms-eval 0.7.2, for comparison with its published scores.
 * `readOption` reads the meaning: it tells an article from an option, and a correction from a choice. These
 * rules don't. For them "The answer is B because A is wrong" is A, and "b" is nothing.
 *
 * Both extractors collect every occurrence of a letter that looks like the answer. Each gets a rank for its form,
 * and the best one is taken.
 */
import { stripWhiteSpace } from '../../../base/python/white-space.js'
import { stripCharacter } from '../text/code-points.js'

const toH: readonly string[] = Array.from('ABCDEFGH')

const withArticle = (phrases: readonly string[]): readonly string[] =>
  phrases.flatMap(phrase => [`the ${phrase}`, phrase])

const answerIs = withArticle([
  ...['answer is', 'correct answer is', 'best answer is', 'correct option is', 'best option is', 'choice is'],
  'correct choice is',
])
const iChoose = ['i choose', 'i select', 'i pick', 'my answer is', 'my choice is']
const eastAsian = ['옵션', '정답은', '답은', '답:', '答案是', '答案为', '选', '答えは']

/** The forms in which a letter is looked for, with their ranks. */
const commonForms: readonly { readonly rank: number; readonly written: (letter: string) => string }[] = [
  { rank: 6, written: letter => `(${letter})` },
  { rank: 5, written: letter => `${letter}.` },
  { rank: 4, written: letter => `${letter}:` },
  { rank: 3, written: letter => `${letter})` },
  { rank: 2, written: letter => `${letter} ` },
]
const moreForms: typeof commonForms = ['-', '_', '='].map(mark => ({ rank: 1, written: letter => `${letter}${mark}` }))

/**
 * The option letter that a response names, or undefined. The first form that occurs wins: at the start, at the end
 * without another letter beside it, after a phrase such as "the answer is", `(B)`, `B.`, `B:`, `B)`, `B `, then
 * anywhere. If several letters have the same form, the last one counts, or the first one with `take: 'first'`. Only
 * capital letters are read.
 *
 * Source: lmms-eval 0.7.2, `tasks/_task_utils/mcq_extract.py`, extract_mcq_answer.
 */
export function extractMcqAnswer(
  response: string,
  choices: readonly string[] = toH,
  { take = 'last' }: { readonly take?: 'last' | 'first' } = {},
): string | undefined {
  if (stripWhiteSpace(response) === '') return undefined
  const letters = choices.length === 0 ? toH : choices
  const text = paddedAnswer(response)
  const lower = text.toLowerCase()
  const phrases = [...answerIs, ...iChoose, ...eastAsian].flatMap(phrase => {
    const at = lower.indexOf(phrase)
    return at < 0 ? [] : firstPlaces(text, letters, { rank: 7, start: at + phrase.length })
  })
  const candidates = [
    ...commonForms.flatMap(form => writtenPlaces(text, letters, { ...form, take })),
    ...phrases,
    ...atTheEnds(text, letters),
  ]
  if (candidates.length > 0) return bestLetter(candidates, take)
  return bestLetter(writtenPlaces(text, letters, { rank: 0, written: letter => letter, take }), take)
}

function atTheEnds(text: string, letters: readonly string[]): readonly LetterCandidate[] {
  const bare = stripWhiteSpace(text)
  return letters.flatMap(letter => [
    ...(bare.startsWith(letter) && !/^.\p{L}/su.test(bare) ? [{ letter, at: 0, rank: 10 }] : []),
    ...(bare.endsWith(letter) && !/\p{L}.$/su.test(bare) ? [{ letter, at: text.length - 1, rank: 9 }] : []),
  ])
}

const loosePhrases = [
  ...withArticle([
    'answer',
    'correct answer',
    'best answer',
    'option is',
    'correct option is',
    'choice is',
    'correct choice is',
  ]),
  ...iChoose,
]

/**
 * The option letter from A to H that a response names, or undefined. The forms are those of {@link
 * extractMcqAnswer}, with differences. The first of equal forms counts, and a letter that begins or ends a word at
 * the ends of the text counts. "answer" alone is a phrase, and `1. A`, `A-`, `A_` and `A=` are forms too.
 *
 * Source: lmms-eval 0.7.2, `tasks/_task_utils/reasoning_utils.py`, parse_mcq.
 */
export function parseMcq(response: string): string | undefined {
  if (stripWhiteSpace(response) === '') return undefined
  const text = paddedAnswer(response)
  const bare = stripWhiteSpace(text)
  const lower = text.toLowerCase()
  const candidates = [
    ...[...commonForms, ...moreForms].flatMap(form => writtenPlaces(text, toH, form)),
    ...loosePhrases.flatMap(phrase => {
      const start = lower.indexOf(phrase)
      return start < 0 ? [] : firstPlaces(text, toH, { rank: 7, start })
    }),
    ...toH.filter(letter => bare.startsWith(letter)).map(letter => ({ letter, at: 0, rank: 10 })),
    ...toH.filter(letter => bare.endsWith(letter)).map(letter => ({ letter, at: text.length - 1, rank: 9 })),
    ...toH.flatMap((letter, i) => writtenPlaces(text, [letter], { rank: 8, written: option => `${i + 1}. ${option}` })),
  ]
  if (candidates.length > 0) return bestLetter(candidates, 'first')
  return bestLetter(writtenPlaces(text, toH, { rank: 0, written: letter => letter }), 'first')
}

/** The first character, which SEED-Bench compares with the letter. Empty for an empty answer. */
export const firstCharacter = (response: string): string => Array.from(stripWhiteSpace(response).slice(0, 2))[0] ?? ''

interface LetterCandidate {
  readonly letter: string
  /** The letter's position in the text. */
  readonly at: number
  /** A higher rank is a clearer sign. */
  readonly rank: number
}

/** Removes white space, then each of these marks in turn from the ends, and adds one space on either side. */
function paddedAnswer(response: string): string {
  const bare = [',', '.', '!', '?', ';', ':', "'", '"'].reduce(stripCharacter, stripWhiteSpace(response))
  return ` ${bare} `
}

/** The last, or the first, position of each letter in the form that `written` returns. */
function writtenPlaces(
  text: string,
  letters: readonly string[],
  {
    rank,
    written,
    take = 'last',
  }: { readonly rank: number; readonly written: (letter: string) => string; readonly take?: 'last' | 'first' },
): readonly LetterCandidate[] {
  return letters.flatMap(letter => {
    const at = take === 'last' ? text.lastIndexOf(written(letter)) : text.indexOf(written(letter))
    return at < 0 ? [] : [{ letter, at, rank }]
  })
}

/** The first position of each letter from `start` on. */
function firstPlaces(
  text: string,
  letters: readonly string[],
  { rank, start }: { readonly rank: number; readonly start: number },
): readonly LetterCandidate[] {
  return letters.flatMap(letter => {
    const at = text.indexOf(letter, start)
    return at < 0 ? [] : [{ letter, at, rank }]
  })
}

/**
 * The letter with the highest rank. If ranks are equal, its position decides by `prefer`; if positions are equal
 * too, the earliest candidate wins.
 */
function bestLetter(candidates: readonly LetterCandidate[], prefer: 'last' | 'first'): string | undefined {
  const place = prefer === 'last' ? 1 : -1
  let best: LetterCandidate | undefined
  for (const candidate of candidates) {
    const isBetter =
      best === undefined ||
      candidate.rank > best.rank ||
      (candidate.rank === best.rank && candidate.at * place > best.at * place)
    if (isBetter) best = candidate
  }
  return best?.letter
}
