import { usualRecordLimit } from '../../../../base/files/record-limit.js'

/** The values of one record, as texts. */
export type CsvRecord = readonly string[]

/** The characters that separate and quote values. */
export interface CsvMarks {
  readonly separator: string
  /** The quote character. @default '"' */
  readonly quote?: string
  /** True if spaces at the start of a value are skipped. */
  readonly skipsSpace?: boolean
  /** Maximum characters of a record. */
  readonly limit?: number | undefined
}

/** A batch of records. `isOpenEnded` is set if the text ends within the last record, without a line end. */
export type CsvRecords = readonly CsvRecord[] & { readonly isOpenEnded?: boolean }

/** Thrown for a record without an end: the text ends inside a quoted value, or the record exceeds the size limit. */
export class OpenRecordError extends Error {
  override readonly name = 'OpenRecordError'
  /** The offset of the record in the text. */
  readonly offset: number
  readonly isLong: boolean

  constructor(offset: number, { isLong }: { readonly isLong: boolean }) {
    super('a record without an end')
    this.offset = offset
    this.isLong = isLong
  }
}

/**
 * Yields the records of a text that arrives in pieces. A quote counts only at the start of a value. A quoted value can contain separators, line ends
 * and doubled quotes. Blank lines are skipped.
 *
 *
 * Source: pandas' `tokenizer.c`, with its defaults.
 *
 *
 * @throws OpenRecordError if the last value's quotes are not closed, or a record exceeds the size limit.
 */
export async function* csvRecords(pieces: AsyncIterable<string>, marks: CsvMarks): AsyncGenerator<CsvRecords> {
  const { limit = usualRecordLimit } = marks
  let rest = ''
  let more: string[] = []
  let length = 0
  let passed = 0
  for await (const piece of pieces) {
    more.push(piece)
    length += piece.length
    // An incomplete record is parsed again from its start, each time with twice as much text. The total work is then
    // linear.
    if (length < rest.length && rest.length + length <= limit) continue
    const { records, end, text } = parse(rest + more.join(''), marks, { isLast: false })
    rest = text.slice(end)
    more = []
    length = 0
    passed += end
    if (records.length > 0) yield records
    if (rest.length > limit) throw new OpenRecordError(passed, { isLong: true })
  }
  const text = rest + more.join('')
  const { records } = parse(text, marks, { isLast: true, offset: passed })
  if (records.length > 0) yield Object.assign(records, { isOpenEnded: true as const })
}

interface Parsed {
  readonly text: string
  readonly records: readonly CsvRecord[]
  /** The offset of the first incomplete record. */
  readonly end: number
}

/** Finds characters in a text. Searches go from left to right, and each position is looked up once. */
interface Reading {
  readonly text: string
  /** True if the text ends here, with no further pieces. */
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
      // A separator at the very end is followed by one more, empty value.
      if (at === text.length && isLast) {
        records.push([...record, ''])
        end = at
      }
    }
  }
  return { text, records, end }
}

/** Returns a function that finds the next position of a character, or the end of the text. */
function positions(text: string, character: string): (from: number) => number {
  let nextPosition = -1
  return from => {
    if (nextPosition < from) {
      const position = text.indexOf(character, from)
      nextPosition = position < 0 ? text.length : position
    }
    return nextPosition
  }
}

interface Field {
  readonly value: string
  readonly next: number
  readonly isLastOfLine: boolean
}

/** Reads an unquoted value. @returns undefined if its end is not in the text yet */
function plainValue(reading: Reading, start: number): Field | undefined {
  const at = plainEnd(reading, start)
  return fieldUntil(reading, at, reading.text.slice(start, at))
}

/** Reads a quoted value, and any text after it up to the next separator. */
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

/** The start of the next line that contains more than white space. */
function afterBlankLines({ text, separator, isLast }: Reading, start: number): number {
  let line = start
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (character === '\n' || character === '\r') line = at + 1
    else if ((character !== ' ' && character !== '\t') || character === separator) return line
  }
  return isLast ? text.length : line
}
