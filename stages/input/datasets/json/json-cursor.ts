/** Goes through the text of a JSON file value by value; of the text it holds a piece, and the value that it is asked for. */
export interface JsonCursor {
  /** The next character that is not blank, `''` at the end. It is not passed. */
  peek(): Promise<string>
  /** Passes it. */
  take(): Promise<string>
  /**
   * The text of the value that comes next. What is no JSON comes as it stands, up to where a value would end.
   *
   * @throws LongValueError where it has more characters than `most`.
   */
  value(most?: number): Promise<string>
  /** Passes that value. */
  skip(): Promise<void>
  /** The line of the character that comes next, from 1. */
  line(): number
  close(): Promise<void>
}

/** A value that is not held in memory to its end. */
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
    const scan = scanOf(await peek())
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

/** Finds where a value ends, a piece after another. `undefined`: not in this one. */
type Scan = (piece: string, from: number) => number | undefined

const scanOf = (first: string): Scan => (/^["[{]/.test(first) ? scanNested() : endOfPlain)

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
/** `[` and `]`, but for one bit `{` and `}`. */
const [opening, closing, bracketBit] = [0x5b, 0x5d, 0x20]

const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

function endOfBlank(piece: string, from: number): number {
  let at = from
  while (at < piece.length && isBlank(piece.charCodeAt(at))) at++
  return at
}

/** Of a number or a word. */
function endOfPlain(piece: string, from: number): number | undefined {
  for (let at = from; at < piece.length; at++) {
    const code = piece.charCodeAt(at)
    if (isBlank(code) || code === comma || code === colon || (code & ~bracketBit) === closing) return at
  }
  return undefined
}

/** Of a text, an object or a list. Whether its brackets fit is for whoever parses it. */
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
