/** Reads a formula that stands in a sentence without dollar signs, and leaves out what only explains it. */
import { isReadable } from './math-equal.js'
import { latexValue } from './latex-value.js'
import { isProse, splitOutside } from './math-text.js'
import { isUnsaid } from './unsaid-values.js'
import type { Span } from './prose-spans.js'

/** The longest formula that is read as a whole, in characters. */
const longest = 200

/** Verbs and signs between the words that announce an answer and the answer. */
const leading =
  /^(?:[\s:：=*_"“”'`—–]|-\s|(?:ist|lautet|est|es|é|è|is|to|jest|är|це|это|είναι|adalah|là|है|هو|هي|היא)(?=\s)|az?(?=\s\d)|是|为|為|は|은|는|이|가|คือ)+/u
const trailing = /(?:[\s*_"“”'`.,;:。！？?]|입니다|이다|예요|です|だ|となります|である|है)+$/u
const sentenceEnd =
  /[.!?](?=[\s*_"”'`]|$)|[。！？；\n]|;\s|,?\s(?=(?:since|because|as|where|for|which|when|weil|car|porque|так как|因为)\s)/u

/**
 * The formula that a sentence announces and ends with, such as `e^{-x}` in "The answer is e^{-x}."; undefined if the
 * sentence has other words, dollar signs or several values. "10!" at the end of a text may be a factorial or a number.
 *
 * @param at the position behind the words that announce it
 */
export function readAnnouncedFormula(text: string, at: number): readonly string[] | undefined {
  const [line = ''] = text
    .slice(at, at + 2 * longest)
    .replace(/^[\s*_]+/, '')
    .split('\n', 1)
  const end = sentenceEnd.exec(line)
  const isExclaimed = end?.[0] === '!'
  const sentence = line
    .slice(0, end?.index ?? line.length)
    .replace(leading, '')
    .replace(trailing, '')
  const isFactorial = isExclaimed && /[\d)a-z]$/.test(sentence)
  const formula = (isFactorial ? `${sentence}!` : sentence).replace(/(?<=\d\s?)[xX](?=\s?10\s?(?:\^|\*\*))/g, '×')
  if (formula.length > longest || /\$|\\[([]|\\(?:boxed|fbox)/.test(formula) || !isOneFormula(formula)) return undefined
  const start = text.indexOf(sentence, at)
  if (isUnsaid(text, { start, end: start + sentence.length })) return undefined
  const isAmbiguous = isFactorial && !/^!\s*[.,;]/.test(line.slice(end.index))
  return isAmbiguous ? [formula, sentence] : [formula]
}

const functions = /^(?:sin|cos|tan|cot|sec|csc|log|ln|exp|sqrt|pi|arc\w+|max|min|gcd|lcm|abs)(?![a-zA-Z])/

const isOneFormula = (text: string): boolean =>
  /[\d\p{L}]/u.test(text) &&
  !/^[a-zA-Z]{2,}(?:\s|$)/.test(text.replace(functions, '')) &&
  !isProse(text) &&
  splitOutside(text, /[,;]|\s(?:and|or)\s/).length === 1 &&
  isReadable(text)

/** Returns whether signs touch an expression that are part of a larger formula: the `2` of `a|2|` or `_2!`. */
export const isFragment = (text: string, { start, end }: Span): boolean =>
  /[|^_!\\]$/.test(text.slice(0, start).slice(-1)) || /^[|^_\\]/.test(text.slice(end, end + 1))

const gloss = /(?<=[\d$}\])%π!]|(?<!\p{L})\p{Ll})\s+\(([^()\n]{0,300}(?:\([^()\n]{0,100}\)[^()\n]{0,300}){0,3})\)/gu
const numeral = /(?:-?(?:\d[\d,]*(?:\.\d+)?(?:\/\d+)?)|\\frac\s*\{\d+\}\s*\{\d+\})\s?\\?%?\$?$/

/**
 * Leaves out brackets behind a formula or number that only explain it: those with words, as in "$x = 4$ (since
 * $x > 0$)", and those with the same number in another form, as in "3/4 (75%)". A product such as "2 (x + 1)" stays.
 */
export const withoutGlosses = (text: string): string =>
  text.includes('(')
    ? text.replace(gloss, (whole, inner: string, at: number) =>
        isGloss(text.slice(Math.max(0, at - 40), at), inner) ? ' ' : whole,
      )
    : text

const glossWord =
  /(?<![\\\p{L}])(?:or|in|we|as|so|if|is|not|about|approx|by|of|to|no|the|and|see|with|oder|nicht|ca|mod)(?![\p{L}])/iu

function isGloss(ahead: string, inner: string): boolean {
  const bare = inner.replace(/\$[^$]*\$/g, ' ')
  if (glossWord.test(bare) || isProse(bare)) return true
  const value = computeValue(numeral.exec(ahead)?.[0])
  const other = computeValue(inner.replace(/^\s*[≈~=]/, ''))
  if (value === undefined || other === undefined) return false
  return Math.abs(value - other) <= 0.005 * Math.abs(value)
}

/** The value of a plain number or calculation; per cent is a share of 1. */
function computeValue(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const bare = text.replace(/\$/g, '').trim()
  const share = /^(.*?)\s?\\?%$/.exec(bare)?.[1]
  const value = latexValue((share ?? bare).replace(/(?<=\d),(?=\d{3})/g, ''))
  return value === undefined || share === undefined ? value : value / 100
}
