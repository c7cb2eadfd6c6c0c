import type { Json } from '../../../base/values/canonical-json.js'
import type { Sample, SampleItem } from '../../../cache/store.js'
import { formatCount } from '../../../base/text/numbers.js'

/** The maximum number of characters of one text, because a million docs make one file. */
export const longestText = 2_000
/** The maximum number of answers of one doc. */
const mostAnswers = 20

/** The target, the extracted answers and the answers of a doc, one below the other. */
export function docTexts({ record, items, score }: Sample): string {
  const shownItems = items.slice(0, mostAnswers)
  const rest = items.length - shownItems.length
  return [
    `target: ${cut(record.target)}`,
    ...Object.entries(score?.extracted ?? {}).map(
      ([filter, value]) => `extracted${filter === 'none' ? '' : ` (${filter})`}: ${cut(value)}`,
    ),
    ...shownItems.flatMap(item => answer(item, items.length > 1)),
    ...(rest > 0 ? [`… and ${formatCount(rest)} more answers`] : []),
  ].join('\n')
}

function answer({ choice, sample, response }: SampleItem, isOneOfSeveral: boolean): string[] {
  if (response === undefined) return []
  const { logprob, text } = response.body
  if (logprob !== undefined) return [`choice ${choice}: logprob ${logprob}`]
  return [`answer${isOneOfSeveral ? ` ${sample}` : ''}: ${cut(text)}`]
}

/** Further lines of a text are indented, so that none of them looks like the next entry or like a line of the program. */
function cut(value: Json): string {
  const whole = typeof value === 'string' ? value : JSON.stringify(value)
  return shortenText(whole).replaceAll('\n', '\n  ')
}

function shortenText(text: string): string {
  return text.length <= longestText
    ? text
    : `${text.slice(0, longestText)} … (${formatCount(text.length)} characters in all)`
}
