import { splitWhiteSpace, stripWhiteSpace } from '../../base/python/white-space.js'
import { stripCharacter } from '../../stages/judge/text/code-points.js'

/** An option in one of the forms that an answer may give it, and where it stands there last. */
interface Sign {
  readonly option: number
  readonly at: number
}

/**
 * The index of the option that an answer names, or undefined: `(B)`, `B `, `B.` are all looked for, and of several signs that whose last
 * place comes first holds. In an answer of more than five words without any of these, an option's whole text counts.
 *
 * Source: lmms-eval 0.7.2, `tasks/egoschema/utils.py`, after MMMU's script; it draws a letter where this says nothing.
 */
export function namedOption(answer: string, options: readonly string[]): number | undefined {
  const text = ` ${[',', '.', '!', '?', ';', ':', "'"].reduce(stripCharacter, answer)} `
  const forms = [(letter: string) => `(${letter})`, (letter: string) => `${letter} `, (letter: string) => `${letter}.`]
  const letters = options.map((_, i) => String.fromCharCode(65 + i))
  const signs = forms.flatMap(form => listSigns(letters.map(form), text))
  if (signs.length > 0) return findFirstOption(signs)
  if (splitWhiteSpace(text).length <= 5) return undefined
  const whole = options.map(option => stripWhiteSpace(option).toLowerCase())
  return findFirstOption(listSigns(whole, text.toLowerCase()))
}

const listSigns = (written: readonly string[], text: string): readonly Sign[] =>
  written.flatMap((one, option) => (text.includes(one) ? [{ option, at: text.lastIndexOf(one) }] : []))

const findFirstOption = (signs: readonly Sign[]): number | undefined =>
  signs.reduce<Sign | undefined>((best, sign) => (best === undefined || sign.at < best.at ? sign : best), undefined)
    ?.option
