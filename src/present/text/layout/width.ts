import { isMark, shownText, textAndMarks } from './paint.js'

/**
 * Counts the columns of a text on a terminal. East Asian wide characters and emoji take two, combining marks, joiners and colours none.
 *
 * Source: Unicode Standard Annex 11 (wide and fullwidth blocks; ambiguous characters count as narrow).
 */
export function displayWidth(text: string): number {
  let width = 0
  for (const part of textAndMarks(text)) {
    if (isMark(part)) continue
    for (const character of shownText(part)) width += characterWidth(character)
  }
  return width
}

function characterWidth(character: string): number {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x300) return 1
  if (/^[\p{Mark}\p{Cf}]$/u.test(character)) return 0
  return wide.some(([first, last]) => code >= first && code <= last) ? 2 : 1
}

const wide: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1faff],
  [0x20000, 0x3fffd],
]

const gap = (text: string, width: number): string => ' '.repeat(Math.max(0, width - displayWidth(text)))

/** Appends spaces until a text is as wide as the column. */
export const padRight = (text: string, width: number): string => text + gap(text, width)

/** Prepends spaces until a text is as wide as the column. */
export const padLeft = (text: string, width: number): string => gap(text, width) + text

/** Cuts a text to `width` columns with an ellipsis at its end. Colours are closed. */
export function clip(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  let clippedText = ''
  let used = 1
  let isCut = false
  for (const part of textAndMarks(text)) {
    if (isMark(part)) {
      clippedText += part
      continue
    }
    if (isCut) continue
    for (const character of shownText(part)) {
      used += characterWidth(character)
      if (used > width) break
      clippedText += character
    }
    isCut = used > width
    if (isCut) clippedText = `${clippedText.trimEnd()}…`
  }
  return clippedText
}

/** Cuts a text in its middle, because names of one family differ at their ends. */
export function clipMiddle(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  const characters = Array.from(shownText(text))
  let end = ''
  while (characters.length > 0 && displayWidth((characters.at(-1) ?? '') + end) <= Math.floor(width / 2))
    end = (characters.pop() ?? '') + end
  return clip(characters.join(''), width - displayWidth(end)).replace(/…?$/u, '…') + end
}
