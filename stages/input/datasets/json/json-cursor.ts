/** Reads a JSON file value by value. Only one piece of the text and the requested value are in memory. */
export interface JsonCursor {
  /** Returns the next character that is not blank, `''` at the end, without consuming it. */
  peek(): Promise<string>
  /** Consumes the next character that is not blank. */
  take(): Promise<string>
  /**
   * Returns the text of the next value. Text that is not JSON is returned unchanged, up to where a value would end.
   *
   * @throws LongValueError if it has more characters than `most`.
   */
  value(most?: number): Promise<string>
  /** Skips the next value. */
  skip(): Promise<void>
  /** Returns the line of the next character, from 1. */
  line(): number
  close(): Promise<void>
}

/** The error for a value that is too long for memory. */
export class LongValueError extends Error {
  override readonly name = 'LongValueError'
}

/** @param pieces of the text, cut anywhere */
export function openJsonCursor(pieces: AsyncIterable<string>): JsonCursor {
  const source = pieces[Symbol.asyncIterator]()
  let piece = ''
  let at = 0
  let line = 1

  const isThere = async (): Promise<boolean> => {
    while (at >= piece.length) {
      const next = await source.next()
      if (next.done === true) return false
      piece = next.value
      at = 0
    }
    return true
  }
  const pass = (to: number): string => {
    const passed = piece.slice(at, to)
    for (let end = passed.indexOf('\n'); end !== -1; end = passed.indexOf('\n', end + 1)) line++
    at = to
    return passed
  }
  const peek = async (): Promise<string> => {
    while (await isThere()) {
      const to = endOfBlank(piece, at)
      if (to > at) pass(to)
      if (at < piece.length) return piece.charAt(at)
    }
    return ''
  }
  const walk = async (onText: (text: string) => void): Promise<void> => {
    const scan = chooseScan(await peek())
    for (;;) {
      if (!(await isThere())) return
      const end = scan(piece, at)
      onText(pass(end ?? piece.length))
      if (end !== undefined) return
    }
  }
  return {
    peek,
    async take() {
      const next = await peek()
      if (next !== '') at++
      return next
    },
    async value(most = Infinity) {
      const parts: string[] = []
      let length = 0
      await walk(text => {
        length += text.length
        if (length > most) throw new LongValueError()
        parts.push(text)
      })
      return parts.join('')
    },
    skip: () => walk(() => undefined),
    line: () => line,
    async close() {
      await source.return?.()
    },
  }
}

/** Returns where a value ends in a piece; `undefined` if it continues in the next. */
type Scan = (piece: string, from: number) => number | undefined

const chooseScan = (first: string): Scan => (/^["[{]/.test(first) ? scanNested() : endOfPlain)

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
/** `[` and `]` differ from `{` and `}` in one bit. */
const [opening, closing, bracketBit] = [0x5b, 0x5d, 0x20]

const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

function endOfBlank(piece: string, from: number): number {
  let at = from
  while (at < piece.length && isBlank(piece.charCodeAt(at))) at++
  return at
}

/** Finds the end of a number or a word. */
function endOfPlain(piece: string, from: number): number | undefined {
  for (let at = from; at < piece.length; at++) {
    const code = piece.charCodeAt(at)
    if (isBlank(code) || code === comma || code === colon || (code & ~bracketBit) === closing) return at
  }
  return undefined
}

/** Finds the end of a text, an object or a list. The parser checks whether its brackets match. */
function scanNested(): Scan {
  let depth = 0
  let isInText = false
  let isEscaped = false
  return (piece, from) => {
    for (let at = from; at < piece.length; at++) {
      const code = piece.charCodeAt(at)
      if (isEscaped) isEscaped = false
      else if (isInText) {
        if (code === backslash) isEscaped = true
        else if (code === quote) isInText = false
      } else if (code === quote) isInText = true
      else if ((code & ~bracketBit) === opening) depth++
      else if ((code & ~bracketBit) === closing) depth--
      else continue
      if (depth === 0 && !isInText) return at + 1
    }
    return undefined
  }
}
