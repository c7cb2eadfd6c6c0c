import { recordLimit } from '../../../../base/files/record-limit.js'

/** The values of one line, as texts. */
export type CsvRecord = readonly string[]

/** How the values of a line are told apart. Each is one character. */
export interface CsvMarks {
  readonly separator: string
  /** Default `"`. */
  readonly quote?: string
  /** Whether spaces at the beginning of a value are passed over. */
  readonly skipsSpace?: boolean
}

/** Some records. `isOpenEnded` says that the text ends within the last of them, without the end of its line. */
export type CsvRecords = readonly CsvRecord[] & { readonly isOpenEnded?: boolean }

/** A record that has no end, or too late: the text ends inside a quoted value, or the record is longer than one may be. */
export class OpenRecordError extends Error {
  override readonly name = 'OpenRecordError'
  /** Where in the text the record begins. */
  readonly offset: number
  readonly isLong: boolean

  constructor(offset: number, { isLong }: { readonly isLong: boolean }) {
    super('a record without an end')
    this.offset = offset
    this.isLong = isLong
  }
}

/**
 * The records of a text that comes in pieces, a piece at a time. Quotes count at the beginning of a value, where they may hold
 * separators, line ends and doubled quotes; further on they are text. Lines that are blank are passed over.
 *
 * Source: pandas' `tokenizer.c`, with its defaults.
 *
 * @throws OpenRecordError where the last value's quotes are not closed, or a record is longer than one may be.
 */
export async function* csvRecords(pieces: AsyncIterable<string>, marks: CsvMarks): AsyncGenerator<CsvRecords> {
  let rest = ''
  let more: string[] = []
  let length = 0
  let passed = 0
  for await (const piece of pieces) {
    more.push(piece)
    length += piece.length
    // A record that is not complete is read again from its beginning: each time with twice as much, so that all of it is read twice.
    if (length < rest.length && rest.length + length <= recordLimit()) continue
    const { records, end, text } = parse(rest + more.join(''), marks, { isLast: false })
    rest = text.slice(end)
    more = []
    length = 0
    passed += end
    if (records.length > 0) yield records
    if (rest.length > recordLimit()) throw new OpenRecordError(passed, { isLong: true })
  }
  const text = rest + more.join('')
  const { records } = parse(text, marks, { isLast: true, offset: passed })
  if (records.length > 0) yield Object.assign(records, { isOpenEnded: true as const })
}

interface Parsed {
  readonly text: string
  readonly records: readonly CsvRecord[]
  /** Where the first record begins that is not complete. */
  readonly end: number
}

/** Where things are in a text. Each is asked from left to right, and looked for once. */
interface Reading {
  readonly text: string
  /** Nothing comes after the text. */
  readonly isLast: boolean
  readonly separator: string
  readonly quote: string
  nextSeparator(from: number): number
  nextLineFeed(from: number): number
  nextCarriageReturn(from: number): number
}

function parse(
  text: string,
  { separator, quote = '"', skipsSpace = false }: CsvMarks,
  { isLast, offset = 0 }: { readonly isLast: boolean; readonly offset?: number },
): Parsed {
  const reading: Reading = {
    text,
    separator,
    quote,
    isLast,
    nextSeparator: positions(text, separator),
    nextLineFeed: positions(text, '\n'),
    nextCarriageReturn: positions(text, '\r'),
  }
  const records: CsvRecord[] = []
  let at = afterBlankLines(reading, 0)
  let end = at
  let record: string[] = []
  while (at < text.length) {
    if (skipsSpace) while (text[at] === ' ') at++
    const field = text[at] === quote ? quotedValue(reading, at) : plainValue(reading, at)
    if (field === undefined && isLast) throw new OpenRecordError(offset + at, { isLong: false })
    if (field === undefined) break
    record.push(field.value)
    if (field.isLastOfLine) {
      records.push(record)
      record = []
      end = at = afterBlankLines(reading, field.next)
    } else {
      at = field.next
      // A separator at the very end leaves one more value, which is empty.
      if (at === text.length && isLast) {
        records.push([...record, ''])
        end = at
      }
    }
  }
  return { text, records, end }
}

/** Finds the next place of a character, which is the end of the text where there is none. */
function positions(text: string, character: string): (from: number) => number {
  let found = -1
  return from => {
    if (found < from) {
      const position = text.indexOf(character, from)
      found = position < 0 ? text.length : position
    }
    return found
  }
}

interface Field {
  readonly value: string
  readonly next: number
  readonly isLastOfLine: boolean
}

/** @returns undefined where its end is not there yet. */
function plainValue(reading: Reading, start: number): Field | undefined {
  const at = plainEnd(reading, start)
  return fieldUntil(reading, at, reading.text.slice(start, at))
}

/** What is between quotes, and the rest up to the next separator. */
function quotedValue(reading: Reading, start: number): Field | undefined {
  const { text, quote: mark } = reading
  let value = ''
  let from = start + 1
  for (;;) {
    const quote = text.indexOf(mark, from)
    if (quote < 0) return undefined
    value += text.slice(from, quote)
    if (text[quote + 1] !== mark) {
      const at = plainEnd(reading, quote + 1)
      return fieldUntil(reading, at, value + text.slice(quote + 1, at))
    }
    value += mark
    from = quote + 2
  }
}

const plainEnd = (reading: Reading, from: number): number =>
  Math.min(reading.nextSeparator(from), reading.nextLineFeed(from), reading.nextCarriageReturn(from))

function fieldUntil({ text, isLast }: Reading, at: number, value: string): Field | undefined {
  if (at === text.length) return isLast ? { value, next: at, isLastOfLine: true } : undefined
  if (text[at] !== '\r') return { value, next: at + 1, isLastOfLine: text[at] === '\n' }
  if (at + 1 === text.length && !isLast) return undefined
  return { value, next: at + (text[at + 1] === '\n' ? 2 : 1), isLastOfLine: true }
}

/** The beginning of the next line that holds more than white space. */
function afterBlankLines({ text, separator, isLast }: Reading, start: number): number {
  let line = start
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (character === '\n' || character === '\r') line = at + 1
    else if ((character !== ' ' && character !== '\t') || character === separator) return line
  }
  return isLast ? text.length : line
}
