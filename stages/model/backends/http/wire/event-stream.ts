import { StringDecoder } from 'node:string_decoder'

/** A server-sent event. */
export interface ServerEvent {
  /** The event's type. @default message */
  readonly type: string
  readonly data: string
}

/**
 * Parses server-sent events from pieces that may be cut anywhere: inside a character, a line end or an event.
 *
 * It follows the HTML standard (section 9.2.6, "Interpreting an event stream"). In addition, an event counts if the
 * stream ends without the empty line behind it.
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

/** Parses JSON with one value a line (NDJSON) from pieces that may be cut anywhere. Each line is an event. */
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
