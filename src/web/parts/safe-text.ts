/**
 * Makes untrusted texts of models, datasets and people safe to show. Characters that hide, reorder or overwrite text get a visible name: ESC is
 * `⟦ESC⟧`, a bidi override is `⟦U+202E⟧`.
 */
import { takeBeginning } from '../../../base/text/beginning.js'

/** The number of characters that are shown until the user opens the rest. */
export const shownCharacters = 20_000

// Line feed and tab stay. A carriage return stays only before a line feed. Joiners stay, since scripts and emoji need them.
const hidden =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\r(?!\n)|[\u{e0000}-\u{e007f}]|\p{Cs}/gu

const controlNames =
  'NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US'.split(
    ' ',
  )

/** The text with every hiding character made visible. */
export const visibleText = (text: string): string => text.replace(hidden, visibleName)

function visibleName(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const name = code === 0x7f ? 'DEL' : (controlNames[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`)
  return `⟦${name}⟧`
}

/** A run of text, and whether it is marked. */
export interface TextPiece {
  readonly text: string
  readonly isMarked: boolean
}

/** Splits a text at spans of UTF-16 positions. Spans that overlap are joined, and spans outside of the text are ignored. */
export function splitText(text: string, spans: readonly (readonly [start: number, end: number])[]): TextPiece[] {
  const pieces: TextPiece[] = []
  let position = 0
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
    const from = Math.max(start, position)
    const to = Math.min(end, text.length)
    if (from >= to) continue
    if (from > position) pieces.push({ text: text.slice(position, from), isMarked: false })
    pieces.push({ text: text.slice(from, to), isMarked: true })
    position = to
  }
  if (position < text.length) pieces.push({ text: text.slice(position), isMarked: false })
  return pieces
}

/** Formats the text of a cell: on one line, safe, and cut with an ellipsis. */
export function formatLine(text: string, characters = 200): string {
  const beginning = takeBeginning(text, characters)
  const line = visibleText(beginning.replace(/\s+/g, ' ').trim())
  return beginning.length < text.trimEnd().length ? `${line}…` : line
}

/** Returns an address if it is safe for a link. */
export function safeLink(address: string): string | undefined {
  try {
    const { protocol } = new URL(address)
    return protocol === 'https:' || protocol === 'http:' ? address : undefined
  } catch {
    return undefined
  }
}
