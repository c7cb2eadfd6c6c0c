import { displayWidth } from './width.js'

/** Matches a command in a line: at the start of a part, or after a colon. */
const commandAt = /(^|: +)(pipeline [a-z].*)$/u

/** Matches the words of a command line. A quoted text is one word. */
const shellWords = /(?:[^\s'"]|'[^']*'|"[^"]*"|['"])+/gu

/**
 * Wraps a line to a number of columns. It breaks first between facts, which are three spaces apart, then between words. A command gets separate
 * lines, with `\` at the ends, so that it can be copied.
 */
export function wrapLine(line: string, columns: number): readonly string[] {
  if (columns === Infinity || displayWidth(line) <= columns) return [line]
  const text = line.trim()
  const indent = line.length - line.trimStart().length
  const parts = text.split(/ {3,}/u)
  const gaps = [0, ...[...text.matchAll(/ {3,}/gu)].map(([gap]) => gap.length)]
  const hang = computeHang(indent, parts, gaps[1] ?? 0, columns)
  const writer = lineWriter({ columns, indent, hang })
  for (const [index, part] of parts.entries()) {
    const gap = gaps[index] ?? 0
    if (writer.fits(part, gap)) {
      writer.add(part, gap)
      continue
    }
    const command = commandAt.exec(part)
    // The text after a short label starts beside it, even if it takes several lines.
    const isBesideLabel = index === 1 && command === null && writer.width() + gap === hang
    if (!isBesideLabel) {
      writer.newLine()
      if (writer.fits(part, 0)) {
        writer.add(part, 0)
        continue
      }
    }
    const sentence = command === null ? part : part.slice(0, command.index + (command[1] ?? '').length).trimEnd()
    writer.addAll(splitSentence(sentence, columns - hang), { gap })
    if (command === null) continue
    writer.newLine()
    writer.addAll(splitCommand(command[2] ?? '', columns - hang - 4), { end: ' \\', deeper: 2 })
    writer.newLine()
  }
  return writer.end()
}

/** The indentation of continuation lines: below the text after a short label, else two columns. */
function computeHang(indent: number, [label, value]: readonly string[], gap: number, columns: number): number {
  const behind = indent + displayWidth(label ?? '') + gap
  return value !== undefined && behind <= Math.min(24, columns / 3) ? behind : indent + 2
}

/** Keeps facts with dots between them together. */
function splitSentence(sentence: string, columns: number): readonly string[] {
  const facts = sentence.split(/(?<= ·) /u)
  return facts.every(fact => displayWidth(fact) <= columns) ? facts : sentence.split(' ')
}

/** Keeps a flag with its value if both fit into a line. */
function splitCommand(command: string, columns: number): string[] {
  const joined: string[] = []
  for (const word of command.match(shellWords) ?? []) {
    const last = joined.at(-1)
    const pair = `${last ?? ''} ${word}`
    const isValue = last !== undefined && /^--?[a-z][\w-]*$/iu.test(last) && !word.startsWith('-')
    if (isValue && displayWidth(pair) <= columns) joined.splice(-1, 1, pair)
    else joined.push(word)
  }
  return joined
}

function lineWriter({ columns, indent, hang }: { columns: number; indent: number; hang: number }) {
  const lines: string[] = []
  let current = ' '.repeat(indent)
  const isBlank = (): boolean => current.trim() === ''
  const fits = (text: string, gap: number): boolean =>
    displayWidth(current) + (isBlank() ? 0 : gap) + displayWidth(text) <= columns
  const add = (text: string, gap: number): void => {
    current += isBlank() ? text : ' '.repeat(gap) + text
  }
  const newLine = (deeper = 0): void => {
    if (isBlank()) return
    lines.push(current.trimEnd())
    current = ' '.repeat(hang + deeper)
  }
  return {
    width: () => displayWidth(current),
    fits,
    add,
    newLine,
    /** Adds words. A broken line ends with `end`, and the next line is indented by `deeper`. */
    addAll(words: readonly string[], { gap = 1, end = '', deeper = 0 }): void {
      for (const [index, word] of words.entries()) {
        const before = index === 0 ? gap : 1
        if (!isBlank() && !fits(index === words.length - 1 ? word : word + end, before)) {
          current += end
          newLine(deeper)
        }
        add(word, before)
      }
    },
    end(): readonly string[] {
      newLine()
      return lines
    },
  }
}
