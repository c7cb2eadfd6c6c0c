/** Options in lines and tables of an answer. */
import { latinLetter } from './foreign-letters.js'
import { comparedForm } from './option-text.js'
import { decide, mentions, readLetter, removeNames, type OptionFound, type Reader } from './option-reader.js'

/** The only option that is a line of its own, as a letter or as a letter with its text: "B", "**(B) blue**". */
export function onLine({ answer, choices, rules }: Reader): OptionFound | undefined {
  const lines = answer.split('\n')
  if (lines.length < 2) return undefined
  const letters = lines.flatMap(line => {
    const [, own] = rules.alone.exec(line) ?? []
    if (own !== undefined) return [latinLetter(own)]
    const [, letter = '', rest = ''] = rules.line.exec(line) ?? []
    const index = letter === '' ? -1 : letter.charCodeAt(0) - 65
    return index >= 0 && choices[index] !== undefined && comparedForm(rest) === choices[index].form ? [letter] : []
  })
  return new Set(letters).size === 1 ? decide(letters) : undefined
}

/** The only line with a tick, such as "B. blue ✓" or a row of a table. */
export const tickedLine = (reader: Reader): OptionFound | undefined =>
  /[✅✓✔☑]/u.test(reader.answer) ? decide(mentions(reader, reader.rules.ticked).map(readLetter)) : undefined

/** The letter of "B. The car is green, not red (A).", if the other labels stand in brackets. */
export function openingLabel(reader: Reader): OptionFound | undefined {
  const [first, ...otherMentions] = mentions(reader, reader.rules.labelled)
  if (first === undefined || otherMentions.length === 0) return undefined
  const isOpening = /^[\s*_#>]*$/.test(reader.answer.slice(0, first.start))
  const areInBrackets = otherMentions.every(
    ({ start, end }) =>
      reader.answer.charAt(start - 1) === '(' &&
      /^\)\s*(?:$|[.,;:\n]|(?:or|and|nor|is|are)\s)/.test(reader.answer.slice(end, end + 8)),
  )
  return isOpening && areInBrackets ? decide(removeNames([first], reader).map(readLetter)) : undefined
}
