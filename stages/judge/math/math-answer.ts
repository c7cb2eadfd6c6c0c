import { lastBoxed } from '../extract/boxed.js'

/** Formulas between dollar signs, or the brackets of LaTeX. */
const formula = /\$\$([\s\S]+?)\$\$|\$([^$\n]+?)\$|\\\(([\s\S]+?)\\\)|\\\[([\s\S]+?)\\\]/g

const number = /(?<![\w.])-?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+|(?<=\d))(?:\s?\/\s?\d+(?:\.\d+)?)?(?!\w)/g

/**
 * The mathematical text that an answer comes to: what stands in the last box, else the last formula, else the last number; the whole where it is
 * one line without words. Undefined where there is none of these.
 */
export function mathAnswer(text: string): string | undefined {
  const boxed = lastBoxed(text)
  if (boxed !== undefined) return boxed
  const formulas = Array.from(text.matchAll(formula), found => found.slice(1).find(Boolean))
  const last = formulas.at(-1)
  if (last !== undefined) return last
  if (!/[a-zA-Z]{2}|\n/.test(text.replace(/\\[a-zA-Z]+/g, '').trim()))
    return text.trim() === '' ? undefined : text.trim()
  return text
    .match(number)
    ?.filter(found => found !== '')
    .at(-1)
}
