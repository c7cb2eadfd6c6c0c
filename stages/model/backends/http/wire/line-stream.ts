import { StringDecoder } from 'node:string_decoder'
import type { ServerEvent } from './event-stream.js'

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
