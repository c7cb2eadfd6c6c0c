import { once } from 'node:events'
import { createWriteStream, type WriteStream } from 'node:fs'
import type { Table } from '../../cache/bundle/portable.js'
import { textLines } from '../../stages/input/datasets/text-lines.js'

/** Characters that are collected before they are written. */
const fewCharacters = 1 << 18

/**
 * Collects rows in a file, so that a log of any length takes little memory. The store changes only after the whole log was read, so a damaged log
 * imports nothing.
 */
export class RowSpool<Row> {
  readonly #file: string
  readonly #out: WriteStream
  #texts: string[] = []
  #characters = 0
  #failure: Error | undefined

  constructor(file: string) {
    this.#file = file
    this.#out = createWriteStream(file)
    this.#out.on('error', error => (this.#failure = error))
  }

  async add(row: Row): Promise<void> {
    const text = `${JSON.stringify(row)}\n`
    this.#texts.push(text)
    this.#characters += text.length
    if (this.#characters >= fewCharacters) await this.#write()
  }

  async finish(): Promise<void> {
    await this.#write()
    this.#out.end()
    await once(this.#out, 'close')
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Reads the rows from the start, after {@link finish}. */
  readonly table: Table<Row> = () => rowsIn<Row>(this.#file)

  async #write(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    const text = this.#texts.join('')
    this.#texts = []
    this.#characters = 0
    if (!this.#out.write(text)) await once(this.#out, 'drain')
  }
}

async function* rowsIn<Row>(file: string): AsyncGenerator<readonly Row[]> {
  for await (const lines of textLines(file, Infinity))
    yield lines.flatMap(line => (line === '' ? [] : [JSON.parse(line) as Row]))
}
