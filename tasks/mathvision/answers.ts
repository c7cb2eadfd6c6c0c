/**
 * Reads and compares answers as MATH-Vision's evaluation does.
 *
 * Source: Wang et al. 2024 (https://arxiv.org/abs/2402.14804), `evaluation/utils.py`; lmms-eval 0.7.2, `tasks/mathvision`.
 */
import { latexValue } from '../../stages/judge/math/latex-value.js'
import { parsePythonFloat, pythonRound } from '../../stages/judge/text/python-number.js'

const phrases = ['the final answer is', 'the answer is', 'the correct answer is', 'the answer should be']

/** The answer in small letters, without the words around it, units and LaTeX that only formats. */
export function readAnswer(given: string): string {
  let answer = given.trim()
  for (const letter of 'ABCDE') if (isLetterAlone(answer, letter)) answer = letter
  const last = behind(answer, 'is ').replace(/\.+$/, '')
  if (parsePythonFloat(last) !== undefined) answer = last
  const boxes = answer.split('oxed{').length - 1
  if (boxes === 0) answer = behindPhrases(answer)
  else if (boxes > 1) answer = `\\boxed{${behind(answer, 'oxed{')}`
  return withoutBrackets(normalForm(answer)).replace(/\.+$/, '').replace(/^:+/, '').trim()
}

const isLetterAlone = (answer: string, letter: string): boolean =>
  [` ${letter}.`, ` (${letter}).`].some(end => answer.endsWith(end)) ||
  [`${letter}\n`, `(${letter})\n`, `(${letter}) ${letter}\n`].some(start => answer.startsWith(start))

/** Returns the text behind the last `mark`, or the whole text if there is none. */
const behind = (text: string, mark: string): string =>
  text.slice(text.lastIndexOf(mark) + 1 && text.lastIndexOf(mark) + mark.length)

function behindPhrases(given: string): string {
  let answer = given
  for (const phrase of phrases.flatMap(one => [one, one.replace('the', 'The')])) {
    const isThere = answer.includes(phrase)
    answer = behind(answer, phrase).trim()
    if (isThere) answer = (answer.split('\n')[0] ?? '').split('. ')[0] ?? ''
  }
  return answer
}

const withoutBrackets = (answer: string): string => answer.replace(/\(([a-e])\)/g, '$1').replace(/\{([a-e])\}/g, '$1')

const formatting = [
  ' ',
  '\\,',
  '+\\infty',
  '\n',
  '\\text',
  '\\mbox',
  '\\left',
  '\\right',
  '^{\\circ}',
  '^\\circ',
  '{m}^3',
  'm^3',
  '{units}',
  'units',
  '{km}',
  'km',
] as const

/** Normalizes the content of the last box, or else the whole text, to the form of the right answers. */
function normalForm(given: string): string {
  const small = given.toLowerCase().replaceAll('{}', '')
  let answer = /oxed\{([\s\S]*)\}/.exec(small)?.[1] ?? small
  const [open, close] = [answer.indexOf('{'), answer.indexOf('}')]
  if (close >= 0 && (open < 0 || close < open)) answer = answer.slice(0, close)
  answer = behind(behind(answer, '='), '\\approx')
  for (const one of formatting) {
    answer = answer.replaceAll(one, one === '+\\infty' ? '\\infty' : '')
    if (one === '\\,') answer = answer.replaceAll('∞', '\\infty')
    if (one === '+\\infty') answer = answer.replaceAll('\\\\', '\\')
    if (one === '\\mbox') answer = answer.replaceAll('bmatrix', 'pmatrix')
  }
  return plainForm(answer)
}

/** The normal form of the MATH data set, for an answer without white space. Source: Hendrycks et al. 2021, `math_equivalence.py`. */
function plainForm(given: string): string {
  let answer = given
    .replaceAll('\\!', '')
    .replace(/[td]frac/g, 'frac')
    .replaceAll('\\$', '')
    .replaceAll('$', '')
  answer = answer.replaceAll('\\%', '').replaceAll('{.', '{0.')
  if (answer === '') return answer
  if (answer.startsWith('.')) answer = `0${answer}`
  for (const sign of ['=', '\\approx']) {
    const parts = answer.split(sign)
    if (parts.length === 2) answer = parts[1] ?? ''
  }
  if (answer.includes('sqrt')) answer = bracedFractions(answer.replace(/\\sqrt([^{])/g, '\\sqrt{$1}'))
  if (answer === '0.5') return '\\frac{1}{2}'
  return answer.replace(/^(0|-?[1-9]\d*)\/(0|-?[1-9]\d*)$/, '\\frac{$1}{$2}')
}

/** `\frac12` as `\frac{1}{2}`. An answer that ends amid a fraction stays as it is. */
function bracedFractions(answer: string): string {
  const [start = '', ...fractions] = answer.split('\\frac')
  if (fractions.some(part => !part.startsWith('{') && part.length < 2)) return answer
  const braced = fractions.map(part => {
    if (part.startsWith('{')) return part
    const [over = '', under = ''] = part
    return under === '{' ? `{${over}}${part.slice(1)}` : `{${over}}{${under}}${part.slice(2)}`
  })
  return [start, ...braced].join('\\frac')
}

/** Compares two answers: as texts without regard to letter case, as tuples or lists, and as numbers to two decimals. */
export function isEqualAnswer(right: string, given: string): boolean {
  const [a, b] = [right.toLowerCase(), given.toLowerCase()]
  if (a.replaceAll(' ', '') === '' || b.replaceAll(' ', '') === '') return false
  if (a.trim() === b.trim()) return true
  const [left, other] = [evaluatedParts(a), evaluatedParts(b)]
  if (left === other) return true
  const [x, y] = [roundedValue(left), roundedValue(other)]
  return x !== undefined && x === y
}

/** A tuple or list with its parts as numbers; anything else, and one whose parts are no numbers, as it is. */
function evaluatedParts(answer: string): string {
  const [open, close] = [answer.at(0), answer.at(-1)]
  if (!((open === '(' && close === ')') || (open === '[' && close === ']'))) return answer
  const parts = answer.slice(1, -1).split(',')
  if (parts.length < 2) return answer
  const values = parts.map(part =>
    part.includes('infty') || part === 'a' || part === '-a' ? part : roundedValue(part)?.toString(),
  )
  return values.includes(undefined) ? answer : `${open}${values.join(',')}${close}`
}

const roundedValue = (latex: string): number | undefined => {
  const value = latexValue(latex)
  return value === undefined ? undefined : pythonRound(value, 2)
}
