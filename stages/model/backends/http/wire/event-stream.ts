import { StringDecoder } from 'node:string_decoder'

/** One event of a stream of server-sent events. */
export interface ServerEvent {
  /** `message` where it has no other. */
  readonly type: string
  readonly data: string
}

/**
 * Reads a stream of server-sent events piece by piece, wherever it was cut: amid a character, a line end or an event.
 *
 * As the HTML standard has it (section 9.2.6, "Interpreting an event stream"), except that an event counts also where the
 * stream ends without the empty line after it.
 */
export class EventStream {
  readonly #take: (event: ServerEvent) => void
  readonly #decoder = new StringDecoder('utf8')
  #rest = ''
  #isFirst = true
  #endedWithReturn = false
  #type = ''
  #data: string[] = []

  constructor(take: (event: ServerEvent) => void) {
    this.#take = take
  }

  write(bytes: Buffer): void {
    this.#read(this.#decoder.write(bytes))
  }

  end(): void {
    this.#read(`${this.#decoder.end()}\n\n`)
  }

  #read(piece: string): void {
    let text = this.#rest + piece
    if (text === '') return
    if (this.#isFirst && text.startsWith('\uFEFF')) text = text.slice(1)
    this.#isFirst = false
    let start = this.#endedWithReturn && text.startsWith('\n') ? 1 : 0
    this.#endedWithReturn = false
    for (const end of text.matchAll(/\r\n|\n|\r/g)) {
      if (end.index < start) continue
      this.#line(text.slice(start, end.index))
      start = end.index + end[0].length
      this.#endedWithReturn = end[0] === '\r' && start === text.length
    }
    this.#rest = text.slice(start)
  }

  #line(line: string): void {
    if (line === '') return this.#dispatch()
    const colon = line.indexOf(':')
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1))
    if (name === 'data') this.#data.push(value)
    else if (name === 'event') this.#type = value
  }

  #dispatch(): void {
    const event = { type: this.#type === '' ? 'message' : this.#type, data: this.#data.join('\n') }
    const isEmpty = this.#data.length === 0
    this.#type = ''
    this.#data = []
    if (!isEmpty) this.#take(event)
  }
}

/** Reads a stream of JSON, one value a line (NDJSON), piece by piece, wherever it was cut. Each line is an event. */
export class LineStream {
  readonly #take: (event: ServerEvent) => void
  readonly #decoder = new StringDecoder('utf8')
  #rest = ''

  constructor(take: (event: ServerEvent) => void) {
    this.#take = take
  }

  write(bytes: Buffer): void {
    const lines = (this.#rest + this.#decoder.write(bytes)).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#line(line)
  }

  end(): void {
    this.#line(this.#rest + this.#decoder.end())
    this.#rest = ''
  }

  #line(line: string): void {
    if (line.trim() !== '') this.#take({ type: 'message', data: line })
  }
}
