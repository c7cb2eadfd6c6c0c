/**
 * Requests and parses verdict lines of a judge model.
 *
 * A verdict is a line `VERDICT: CORRECT`. If a graded text contains the word itself, in whatever spelling, the line must carry the fence's code
 * (`VERDICT 3f9a…: CORRECT`), so that a judge that repeats the text cannot repeat a verdict. The last verdict line counts. If its word is not on the
 * menu, earlier lines are not used.
 */
import { shortenText } from '../../../base/text/beginning.js'
import type { Fence, FencedTexts } from './fence.js'

/** A judge's verdict as its kind reads it. */
export type Ruled<Ruling> =
  { readonly type: 'ruled'; readonly ruling: Ruling } | { readonly type: 'unreadable'; readonly reason: string }

export const acceptRuling = <Ruling>(ruling: Ruling): Ruled<Ruling> => ({ type: 'ruled', ruling })
export const refuseReply = (reason: string): Ruled<never> => ({ type: 'unreadable', reason })

/** The beginning of verdict lines in one prompt and in the replies to it. */
export interface VerdictMark {
  /** Writes the beginning of a line, such as `VERDICT:` or `VERDICT 2:`. */
  write(label?: string): string
  /** Returns the text after the last verdict marker, up to the end of the reply. Undefined without a marker. */
  find(reply: string, label?: string): string | undefined
  /** Whether the lines carry the code, because a text could pass for a verdict. */
  readonly isCoded: boolean
  /** The code that no text contains. */
  readonly code: string
}

/**
 * Makes the mark of a prompt.
 *
 * @param mayPass whether a text could pass for a verdict without the word
 */
export function makeVerdictMark(
  { code }: Fence,
  texts: FencedTexts,
  mayPass: (text: string) => boolean = () => false,
): VerdictMark {
  const isCoded = Object.values(texts).some(text => holdsWord(text) || mayPass(text))
  const words = (label?: string): readonly string[] => [
    'VERDICT',
    ...(isCoded ? [code] : []),
    ...(label === undefined ? [] : [label]),
  ]
  return {
    isCoded,
    code,
    write: label => `${words(label).join(' ')}:`,
    find(reply, label) {
      const last = [...reply.matchAll(makePattern(words(label)))].at(-1)
      return last === undefined ? undefined : reply.slice(last.index + last[0].length)
    },
  }
}

/** A judge may quote or emphasise the line, type a full-width colon, or emit invisible characters. */
const makePattern = (words: readonly string[]): RegExp =>
  new RegExp(`^[ \\t>*_#\`\\p{Cf}-]{0,20}${words.join('[ \\t]+')}[ \\t*_\\p{Cf}]{0,20}[:：]`, 'gimu')

/** Whether a text contains the word, however it is spaced, accented or decorated. */
const holdsWord = (text: string): boolean =>
  text
    .normalize('NFKD')
    .replace(/[^\p{L}]/gu, '')
    .toLowerCase()
    .includes('verdict')

/** Reads the word of the last verdict line, or of the line after it if that one ends with the colon. Emphasis and a full stop around it do not count. */
export function readVerdictWord(mark: VerdictMark, reply: string, label?: string): Ruled<string> {
  const rest = mark.find(reply, label)
  if (rest === undefined) return refuseReply(`the judge's reply has no line "${mark.write(label)} …"`)
  const [first = '', second = ''] = rest
    .split(/\r\n|[\n\r\u2028\u2029]/, 2)
    .map(line => line.replace(/^[\s*_`"'[({\p{Cf}]+|[\s*_`"'\])}.\p{Cf}]+$/gu, ''))
  return acceptRuling(first === '' ? second : first)
}

/** Reads a verdict line whose word must be on the menu. Letter case does not count. */
export function readFromMenu(mark: VerdictMark, reply: string, menu: readonly string[], label?: string): Ruled<string> {
  const said = readVerdictWord(mark, reply, label)
  if (said.type === 'unreadable') return said
  const menuWord = menu.find(word => word.toLowerCase() === said.ruling.toLowerCase())
  if (menuWord !== undefined) return acceptRuling(menuWord)
  return refuseReply(`the judge's verdict "${shortenText(said.ruling, 60)}" is none of ${menu.join(', ')}`)
}
