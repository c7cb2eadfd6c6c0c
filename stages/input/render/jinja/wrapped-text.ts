interface Wrapping {
  readonly width: number
  readonly breaksWords: boolean
  readonly breaksAtHyphens: boolean
}

const word = String.raw`[\p{L}\p{N}_!"'&.,?]`
const letter = String.raw`[\p{L}\p{Nl}\p{No}_]`
const space = String.raw`[\t\n\v\f\r ]`
const other = String.raw`[^\t\n\v\f\r ]`
const parts = new RegExp(
  `(${space}+|(?<=${word})-{2,}(?=[\\p{L}\\p{N}_])|${other}+?(?:` +
    `-(?:(?<=${letter}{2}-)|(?<=${letter}-${letter}-))(?=${letter}-?${letter})|(?=${space}|$)|(?<=${word})(?=-{2,}[\\p{L}\\p{N}_])))`,
  'u',
)
const simpleParts = new RegExp(`(${space}+)`, 'u')

/** A line as lines of so many characters at most. Source: Python's `textwrap.wrap`, without expanding or replacing white space. */
export function wrapped(text: string, { width, breaksWords, breaksAtHyphens }: Wrapping): readonly string[] {
  if (width <= 0) throw new Error(`wordwrap: a line of ${width} characters holds nothing`)
  const chunks = text.split(breaksAtHyphens ? parts : simpleParts).filter(part => part !== '')
  const waiting = chunks.map(chunk => Array.from(chunk)).reverse()
  const lines: string[] = []
  while (waiting.length > 0) {
    if (lines.length > 0 && isBlank(waiting.at(-1))) waiting.pop()
    const line = nextLine(waiting, { width, breaksWords, breaksAtHyphens })
    if (isBlank(line.at(-1))) line.pop()
    if (line.length > 0) lines.push(line.flat().join(''))
  }
  return lines
}

type Chunk = readonly string[]

const isBlank = (chunk: Chunk | undefined): boolean => chunk !== undefined && chunk.join('').trim() === ''

function nextLine(waiting: Chunk[], { width, breaksWords, breaksAtHyphens }: Wrapping): Chunk[] {
  const line: Chunk[] = []
  let left = width
  for (let next = waiting.at(-1); next !== undefined && next.length <= left; next = waiting.at(-1)) {
    line.push(next)
    left -= next.length
    waiting.pop()
  }
  const long = waiting.at(-1)
  if (long === undefined || long.length <= width) return line
  if (breaksWords) {
    const end = breaksAtHyphens ? endAtHyphen(long, left) : left
    line.push(long.slice(0, end))
    waiting.splice(-1, 1, long.slice(end))
  } else if (line.length === 0) {
    line.push(long)
    waiting.pop()
  }
  return line
}

function endAtHyphen(chunk: Chunk, left: number): number {
  if (chunk.length <= left) return left
  const hyphen = chunk.slice(0, left).lastIndexOf('-')
  return hyphen > 0 && chunk.slice(0, hyphen).some(char => char !== '-') ? hyphen + 1 : left
}
