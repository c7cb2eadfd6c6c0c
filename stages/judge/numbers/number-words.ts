/** Reads numbers in English words, such as "forty-two" and "one hundred and five". */
import { add, negate, readDecimal, whole, type Rational } from './rational.js'

const units =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
    .split(' ')
    .map((word, value) => [word, value] as const)
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'
  .split(' ')
  .map((word, index) => [word, 10 * (index + 2)] as const)
const small: ReadonlyMap<string, number> = new Map([...units, ...tens])
const large: ReadonlyMap<string, bigint> = new Map([
  ['thousand', 1_000n],
  ['million', 1_000_000n],
  ['billion', 1_000_000_000n],
  ['trillion', 1_000_000_000_000n],
])

const word = `(?:${[...small.keys(), ...large.keys(), 'hundred'].join('|')})`
const digit = `(?:${units
  .slice(0, 10)
  .map(([name]) => name)
  .join('|')})`
const phrase = new RegExp(
  `(?<![\\p{L}-])(?<sign>(?:minus|negative)\\s+)?(?<whole>${word}(?:(?:\\s+and\\s+|[\\s-]+)${word})*)(?:\\s+point(?<places>(?:\\s+${digit})+))?(?![\\p{L}\\p{N}]|-\\p{L})`,
  'giu',
)
/** Matches words that make another number of the one before, as in "two and a half", "two thirds" and "two dozen". */
const fraction =
  /^[\s-]+(?:and\s+(?:a|an|one|two|three)\s+(?:half|third|quarter|fourth|fifth|\p{L}+(?:ths|rds))|hal(?:f|ves)|thirds?|quarters?|fourths?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?|hundredths?|dozens?|times|out\s+of|percent\s+of|of\s+(?:the|them))(?!\p{L})/iu

/**
 * The only number in a text's words; undefined if there are several, or words make another number of it.
 *
 * @param isLast true to read only a number that the text ends with
 */
export function readNumberWords(text: string, isLast = false): Rational | undefined {
  const [match, ...more] = text.slice(0, longest).matchAll(phrase)
  if (match?.groups === undefined || more.length > 0) return undefined
  const rest = text.slice(match.index + match[0].length)
  if (fraction.test(rest.slice(0, 40)) || (isLast && /[\p{L}\p{N}]/u.test(rest))) return undefined
  const value = readWhole(match.groups['whole'] ?? '')
  // "No one", "one of them" and "this one" count nothing.
  if (/^one$/i.test(match[0]) && !/^\P{L}*(?:(?:the )?(?:final )?answer(?: is|:)\P{L}*)?one\P{L}*$/iu.test(text))
    return undefined
  const places = (match.groups['places'] ?? '').trim().split(/\s+/).filter(Boolean)
  const decimals = places.map(place => String(small.get(place.toLowerCase()))).join('')
  const total = value && (decimals === '' ? value : add(value, readDecimal(`0.${decimals}`) ?? whole(0)))
  return total && match.groups['sign'] !== undefined ? negate(total) : total
}

/** A longer text is no answer in words. */
const longest = 2000

/** "two hundred and five thousand" is 205,000; undefined for words in no order, such as "five three". */
function readWhole(words: string): Rational | undefined {
  let [total, part] = [0n, 0]
  let last = Infinity
  for (const name of words.toLowerCase().split(/[\s-]+/)) {
    if (name === 'and') continue
    const value = small.get(name)
    const factor = large.get(name)
    if (value !== undefined) {
      const fits = value < 10 ? last >= 20 || last === Infinity : last >= 100
      if (!fits) return undefined
      part += value
      last = value < 20 ? value : 20
    } else if (factor !== undefined) {
      total += BigInt(Math.max(1, part)) * factor
      part = 0
      last = Infinity
    } else {
      part = Math.max(1, part) * 100
      last = 100
    }
  }
  return whole(total + BigInt(part))
}
