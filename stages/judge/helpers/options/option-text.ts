/** Finds the texts of choices in an answer, with their signs: `-5` is not `5`, and `x > 3` is not `x < 3`. */
import { stripWhiteSpace } from '../../../../base/python/white-space.js'
import { isWholeWord, unspacedScripts } from '../../text/word-edges.js'

/** Replaces the full-width forms of ASCII characters, the ideographic space, and letters in circles and boxes: Ａ, （, Ⓐ, ⓐ, 🅱. */
export const foldWidth = (text: string): string =>
  text.replace(
    /[\uff01-\uff5e\u3000\u24b6-\u24e9\u{1f130}-\u{1f149}\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}]/gu,
    character => {
      const code = character.codePointAt(0) ?? 0
      if (code >= 0x1f130) return String.fromCharCode(65 + ((code - 0x1f130) % 32))
      return character === '\u3000' ? ' ' : character.normalize('NFKC')
    },
  )

/** Replaces the markup of text in LaTeX by the text: `\text{B}`, `\mathbf{B}`, `\(B\)`. */
export function unwrapLatex(text: string): string {
  let plain = text.replace(/\\[([]([^\\]{0,200})\\[)\]]/g, ' $1 ')
  const markup =
    /\\(?:text|textbf|textit|textrm|textsf|mathbf|mathrm|mathit|mathsf|bold|boldsymbol|bf|rm)\s?\{([^{}]*)\}/g
  // One pass for each level of nesting.
  for (let level = 0; level < 3 && plain.includes('\\'); level++) plain = plain.replace(markup, '$1')
  return plain
}

/** Shortens runs of white space. Patterns that look for white space would try again at each of its characters. */
export const squeeze = (text: string): string => text.replace(/[^\S\n]+/g, ' ').replace(/(?:\n ?){3,}/g, '\n\n')

const operators = '[-+*/^=<>≤≥≠±×÷|~&]'
const spacedOperator = new RegExp(`\\s*(${operators})\\s*`, 'gu')

const signs: Readonly<Record<string, string>> = {
  ...{ '>=': '≥', ge: '≥', '<=': '≤', le: '≤', '!=': '≠', ne: '≠' },
  ...{ times: '×', div: '÷', pm: '±' },
}
const asciiSigns = /[<>!]=|\\(?:[gl]eq?|neq?|times|div|pm)(?![a-z])/g

/** Quotes, stops and commas. They do not tell one choice from another. */
const silent = /["“”„«»‘’`…·、。，；：！？「」『』;!?\\]|(?<!\p{L}|\d)'|'(?!\p{L})|[.,:](?!\d)|(?<!\d)[.,:]/gu

/**
 * The form in which an answer and a choice are compared. Case, quotes, full stops, bold marks and spaces make no
 * difference; signs, brackets and the points within numbers do.
 */
export function comparedForm(text: string): string {
  const silenced = unwrapLatex(squeeze(foldWidth(text)))
    .replace(/\\[dtc]frac(?![a-zA-Z])/g, '\\frac')
    .replace(/\\(?:left|right)(?![a-zA-Z])|\\[,;!]/g, '')
    .toLowerCase()
    .replace(/[−–—‐‑]/g, '-')
    .replace(asciiSigns, sign => signs[sign.replace(/^\\|q$/g, '')] ?? sign)
    .replace(/\*\*|__/g, '')
    .replace(/\$([^$\s](?:[^$]*[^$\s])?)\$(?!\d)/g, '$1')
    .replace(/(?<=\d),(?=\d{3}(?!\d))/g, '')
    .replace(/(?<![\p{L}\p{N}.])\.(?=\d)/gu, '0.')
    .replace(/(?<=\p{L})'(?=\p{L})/gu, '')
    .replace(silent, ' ')
  // A run of quotes is now one of white space.
  return squeeze(silenced)
    .replace(/^\s*[-*+]\s+/gm, ' ')
    .replace(/(?<=\p{L}{2})(?:\s+-\s+|[-_/](?=\p{L}))/gu, ' ')
    .replace(spacedOperator, '$1')
    .replace(/\s+(?=[%‰°])/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** A choice with its {@link comparedForm}. */
export interface ChoiceText {
  readonly text: string
  readonly form: string
}

export const choiceTexts = (choices: readonly string[]): readonly ChoiceText[] =>
  choices.map(choice => ({ text: stripWhiteSpace(choice), form: comparedForm(choice) }))

/** The indexes of the choices whose text is the whole answer: letter by letter, or else in {@link comparedForm}. */
export function wholeChoices(text: string, choices: readonly ChoiceText[]): readonly number[] {
  const bare = stripWhiteSpace(text)
  // A text that is much longer than each choice has other words too. Reading long ones again and again takes time.
  if (!choices.some(choice => bare.length <= 2 * choice.text.length + 40)) return []
  const equal = indexes(choices, choice => choice.text === bare && bare !== '')
  if (equal.length > 0) return equal
  const form = comparedForm(bare)
  return form === '' ? [] : indexes(choices, choice => choice.form === form)
}

const wrapped = /^[\s*_`]*[([](.*)[)\]][\s*_`.]*$/u

/** The same for an answer in brackets: `(blue)`. */
export function wrappedChoices(text: string, choices: readonly ChoiceText[]): readonly number[] {
  const inner = wrapped.exec(foldWidth(stripWhiteSpace(text)))?.[1] ?? ''
  return inner === '' ? [] : wholeChoices(inner, choices)
}

/** The text before and after a choice's text in an answer, in {@link comparedForm}. */
export interface ChoiceContext {
  readonly before: string
  readonly after: string
}

/** A brace begins an argument in LaTeX, as in `\\frac{1}{2}`, unless it is that of a box. */
const signBefore = new RegExp(`(?:[-+*/^<>≤≥≠±×÷|~&$€£¥#@√%°]|\\d[.,:]|(?<!boxed)\\{)$`, 'u')
const signAfter = new RegExp(`^(?:[-+*/^=<>≤≥≠±×÷|~&%‰°²³€£¥#]|[.,:]\\d|[(\\[]\\S)`, 'u')
const single = new RegExp(`^[${unspacedScripts}]$`, 'u')
const isUnspaced = new RegExp(`[${unspacedScripts}]`, 'u')

/**
 * The indexes of the choices whose text stands somewhere in an answer by itself, and is not denied there: no letter, digit or sign touches it. In scripts
 * without spaces between words a single character is too little to be found within others.
 */
export function mentionedChoices(
  text: string,
  choices: readonly ChoiceText[],
  isDenied: (context: ChoiceContext) => boolean,
): readonly number[] {
  const form = comparedForm(text)
  // A looping model repeats a denial thousands of times.
  const denied = new Set<string>()
  const isMentioned = ({ form: sought }: ChoiceText): boolean => {
    for (let at = sought === '' ? -1 : form.indexOf(sought); at >= 0; at = form.indexOf(sought, at + 1)) {
      const end = at + sought.length
      const [before, after] = [form.slice(Math.max(0, at - 120), at), form.slice(end, end + 120)]
      if (!isWholeWord(form, at, end) || signBefore.test(before) || signAfter.test(after)) continue
      if (single.test(sought) && (isUnspaced.test(before.slice(-1)) || isUnspaced.test(after.charAt(0)))) continue
      const context = `${before}\n${after}`
      if (denied.has(context)) continue
      if (!isDenied({ before, after })) return true
      denied.add(context)
    }
    return false
  }
  return indexes(choices, isMentioned)
}

const indexes = (choices: readonly ChoiceText[], isMeant: (choice: ChoiceText) => boolean): readonly number[] =>
  choices.flatMap((choice, index) => (isMeant(choice) ? [index] : []))
