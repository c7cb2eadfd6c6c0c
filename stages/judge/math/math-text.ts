/** Normalises mathematical text for parsing and comparison. */

const percents = /\s*(?:\\text\{\s*(?:percent|percentage|pct)\s*\}|percentage|percent|pct)(?![a-zA-Z])|(?<!\\)%/g

const lastPercent = /\s*(?:\\?%|\\text\{\s*(?:percent|percentage|pct)\s*\}|percentage|percent|pct|per cent)\s*$/

/** Returns whether a text ends with a per cent sign or word. */
export const isPercentage = (text: string): boolean => lastPercent.test(text)

export const withoutPercent = (text: string): string => text.replace(lastPercent, '')

const percentWord = /\s*\\text\{\s*(?:percent|percentage|pct)\s*\}/g

/** Removes per cent as a word if the other side is a plain number: `5\\text{ percent}` equals 5, and also 5 %. */
export const besideNumber = (text: string, other: string): string =>
  /%|[a-zA-Z]{2}/.test(other.replace(/\\[a-zA-Z]+/g, '')) ? text : text.replace(percentWord, '')

const unitSymbol =
  /^(-?(?:[\d.,/]*\d|\\frac\s*\{?\d+\}?\s*\{?\d+\}?))(?:\s*(?:[kMGmunpµ]|\\text\{[kMGm]\}|\\mu(?![a-z]))?\s*(?:\\Omega|Ω)|\s+[kMGmnpµ]?(?:[AVNJWKTCFH]|Hz|Pa|eV|mol|rad|dB))$/

/** Removes the symbol of a unit if the other side is a number: `7 A` is 7 amperes beside 7, and a product beside `7 B`. */
export const withoutUnitSymbol = (text: string, other: string): string =>
  /[a-zA-Z]/.test(other.replace(/\\[a-zA-Z]+/g, '')) || /\\Omega/.test(other) ? text : text.replace(unitSymbol, '$1')

const ordinal =
  /(?<=\d)\s*(?:\^\s*)?(?:\{\s*\\text\{\s*(?:st|nd|rd|th)\s*\}\s*\}|\\text\{\s*(?:st|nd|rd|th)\s*\}|(?:st|nd|rd|th)\b)/g
const degreeSign = /\\degree(?![a-zA-Z])|\^\s*(?:\\text\{\s*o\s*\}|\{\s*\\text\{\s*o\s*\}\s*\})/g
const namedBase = /(?<=\d)_\s*\{\s*\\text\{[^{}]*\}\s*\}/g
const moreDigits = /(?<=\d)\s*(?:\\[lc]?dots(?![a-zA-Z])|\.\.\.|…)$/

/** Matches units that are words, after a number, a bracket or white space. */
const unit =
  /(?<=[\d}\s])\s*(?:integer|point|feet|foot|digit|pound|meal|edge|student|people|multiple|degree|k?mph|kmh|ft|sq m|square|cubic|mile|ratio|gm|lb|tile|dm|way|men|women|soldier|inch|cent|dollar|gal|gallon|acre|mark|toy|coin|yr|hr|hour|minute|min|second|sec|day|month|year|man|woman|unit|kg|km|cm|mm|apple|lit(?:er|re)|yard|met(?:er|re)|rs|ohm|th)(?:s|es)?\s*$/
const powerOfUnit = /(?<=[\d}])\s*(?:cm|mm|km|kg|m|ft|in)\s*\^\s*\{?[23]\}?$/
/** Matches one-letter units after a number. Elsewhere such a letter is a variable. */
const shortUnit = /^(\s*-?[\d.,]+(?:\\pi)?|\s*-?\\frac\s*\{?\d+\}?\s*\{?\d+\}?|.*\\sqrt\{\d+\})\s+[mgshtl]\s*$/
/** Matches a fraction of units: `\\frac{\\text{m}}{\\text{s}}` and `\\text{m} / \\text{s}^2`. */
const unitFraction =
  /(?<=\d\s*)(?:\\frac\s*\{\s*\\text\s*\{[^{}]*\}\s*\}\s*\{\s*\\text\s*\{[^{}]*\}(?:\^\{?\d\}?)?\s*\}|\\text\s*\{[^{}]*\}\s*\/\s*\\text\s*\{[^{}]*\}(?:\^\{?-?\d\}?)?)\s*$/
const unitText = /(?<!\\text\{.*)\\text\{(?:[^{}]|\{[^{}]*\})*\}(?:\^\d|\^?\{\^?-?\d\})?$/

/**
 * Removes formatting: dollar signs, bracket sizes, thin spaces, boxes, colours, units at the end and thousands
 * separators.
 */
export function plainMath(text: string): string {
  const plain = withoutBox(text.trim().replace(/\s+/g, ' '))
    .replaceAll('\\$', '')
    .replaceAll('$', '')
    .replace(/\\displaystyle(?![a-zA-Z])|\\color\{[^{}]*\}/g, '')
    .replace(/\\([dtc]frac|[dt]binom)(?![a-zA-Z])/g, command => `\\${command.slice(2)}`)
    .replace(/\\(?:left|right|[bB]igg?[lrm]?)(?![a-zA-Z])\.?/g, '')
    .replace(/(?<!\\)\\[,!;: ]/g, '')
    .replace(/(?<=\d)~(?=\\)/g, ' ')
    .replaceAll('{,}', ',')
    .replace(/\\lbrace(?![a-zA-Z])/g, '\\{')
    .replace(/\\rbrace(?![a-zA-Z])/g, '\\}')
    .replace(/(?<=[\d+\-}]\s?)\\mathrm\s*\{i\}/g, 'i')
    .replace(/(?<=\d\.)\((\d+)\)/g, '\\overline{$1}')
    .replace(/\\(?:math|text)(?:rm|bf|it|normal)(?=\s*\{)|\\mbox(?=\s*\{)/g, '\\text')
    .replace(ordinal, '')
    .replace(degreeSign, '^\\circ')
    .replace(namedBase, '')
    .replace(/\\colon(?![a-zA-Z])/g, ':')
    .replace(/\\text\{\s*d\s*\}(?=\s*[a-zA-Z])/g, 'd')
    .replace(percents, '\\%')
    .replace(/\s*degrees\b/g, '')
    .replace(/\s*,?\s*\\text\{\s*(?:or|and)\s*\}\s*|\s*,?\s+(?:or|and)\s+/g, ',')
    .replace(/(?<!\\)\binf(?:inity)?\b|∞/g, '\\infty')
    .replace(/\+\s*(?=\\infty)/g, '')
    .trim()
  return tidyLatex(withoutUnits(plain))
}

function withoutBox(text: string): string {
  const inner = /^\s*\\(?:boxed|fbox)\s*\{([\s\S]*)\}\s*$/.exec(text)?.[1]
  return inner === undefined ? text : withoutBox(inner)
}

function withoutUnits(text: string): string {
  const bare = text
    .replace(unitFraction, '')
    .replace(unitText, '')
    .replace(powerOfUnit, '')
    .replace(unit, '')
    .replace(unit, '')
    .replace(shortUnit, '$1')
    .trim()
  return bare === '' ? text : bare
}

const tidyLatex = (text: string): string =>
  withoutThousands(bracedSet(text.replace(/,$/, '').replace(moreDigits, '')))
    .replace(/\\varnothing(?![a-zA-Z])|∅|^\\\{\s*\\\}$/g, '\\emptyset')
    .replace(/^\\text\s*\{([^{}]*)\}$/, '$1')
    .replace(/\\geq?(?:slant)?(?![a-zA-Z])|≥|>=/g, '\\geq ')
    .replace(/\\leq?(?:slant)?(?![a-zA-Z])|≤|<=/g, '\\leq ')
    .replace(/\\lt(?![a-zA-Z])/g, '<')
    .replace(/\\gt(?![a-zA-Z])/g, '>')
    .replace(/^(?:=|\\approx|≈)\s*/, '')
    .trim()
    .replace(/(?:[.,;]|\\\\)$/, '')
    .trim()

/** `{1, 2}` is a set, `{1}` is a number in braces. */
function bracedSet(text: string): string {
  const inner = /^\{([\s\S]*)\}$/.exec(text)?.[1]
  return inner === undefined || closesEarly(inner) || splitOutside(inner, /,/).length < 2 ? text : `\\{${inner}\\}`
}

/** `1,000` is a number, `(1,000)` is a pair. */
const withoutThousands = (text: string): string =>
  /^[([].*[)\]]$/.test(text)
    ? text
    : text.replace(/(?<![\d.])(\d{1,3}(?:,\d{3})+)(?![\d,])/g, number => number.replaceAll(',', ''))

/** The parts between separators that are outside all brackets. */
export function splitOutside(text: string, separator: RegExp): readonly string[] {
  const parts: string[] = []
  const sticky = new RegExp(separator.source, 'y')
  let depth = 0
  let start = 0
  for (let i = 0; i < text.length; i += 1) {
    const character = text.charAt(i)
    if ('([{'.includes(character)) depth += 1
    else if (')]}'.includes(character)) depth -= 1
    if (depth !== 0) continue
    sticky.lastIndex = i
    const separatorText = sticky.exec(text)?.[0]
    if (separatorText === undefined) continue
    parts.push(text.slice(start, i).trim())
    start = i + separatorText.length
    i = start - 1
  }
  return [...parts, text.slice(start).trim()]
}

/** The content of the bracket that spans the whole text, and the bracket; undefined if there is none. */
export function splitBracket(
  text: string,
): { readonly open: string; readonly inner: string; readonly close: string } | undefined {
  const [, open, inner, close] = /^(\\\{|\\langle|[([])([\s\S]*)(\\\}|\\rangle|[)\]])$/.exec(text) ?? []
  if (open === undefined || inner === undefined || close === undefined) return undefined
  return closesEarly(inner) ? undefined : { open, inner, close }
}

function closesEarly(inner: string): boolean {
  let depth = 0
  for (const character of inner) {
    if ('([{'.includes(character)) depth += 1
    else if (')]}'.includes(character)) depth -= 1
    if (depth < 0) return true
  }
  return false
}

const dayTime = /(?<=\d\s?)[AaPp]\.?[Mm]\.?(?![\p{L}])/gu
/** Matches names of points after a command: `\\angle ABC`, `\\overline{AB}`. */
const geometry = /\\[a-zA-Z]+\s*\{?\s*[A-Z]{2,4}(?![\p{L}])/gu
const proseFree = /\\(?:begin|end)\s*\{\w+\*?\}|\\(?:text|mbox|mathrm|operatorname)[a-z]*\s*\{[^{}]*\}|\\[a-zA-Z]+/g
const functionWords =
  /(?<![\p{L}])(?:arc)?(?:sinh?|cosh?|tanh?|cot|sec|csc|log|ln|exp|sqrt|abs|max|min|gcd|lcm|lim|mod|pi|inf(?:inity)?|and|or|d[a-z])(?![\p{L}])/gu
/** Matches letters without spaces beside a sign or a digit, such as in `xy+2`. */
const unitNames = '(?:km|cm|mm|kg|mg|ml|mi|ft|in|lb|oz|yd|hr|ms|sq|gal|min|sec)(?![a-z])'
const letterProduct = new RegExp(
  String.raw`(?<=^|[\d+\-*/^=(){}])(?!${unitNames})[a-z]{2,3}(?![\p{L}])|(?<![\p{L}])(?!${unitNames})[a-z]{2,3}(?=[\d+\-*/^=()])`,
  'gu',
)

/**
 * Returns whether a text has words beside its mathematics: two letters in a row that are no command, function or
 * product of variables, or a letter of another script. A single word without spaces is not prose.
 */
export function isProse(text: string): boolean {
  const plain = text.trim()
  if (plain.includes('\n') && !/^\\begin\{[\s\S]*\\end\{\w+\*?\}$/.test(plain)) return true
  if (/^[a-zA-Z]+$/.test(plain)) return false
  const rest = plain
    .replace(geometry, ' ')
    .replace(dayTime, ' ')
    .replace(proseFree, ' ')
    .replace(functionWords, ' ')
    .replace(letterProduct, ' ')
  return /[\p{L}\p{M}]{2}|(?![a-zA-Zα-ωΑ-Ωℝℤℚℕℂ])\p{L}/u.test(rest)
}
