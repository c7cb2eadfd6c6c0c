import type { ParquetWriter } from 'hyparquet-writer'
import type { Cell, Column, Columns, Flat } from './columns.js'

/**
 * A row group ends at the first of these limits. Large groups cost least a row. The limit of characters bounds the
 * memory of the writer and of every reader.
 */
const maxRows = 50_000
const maxCharacters = 2_000_000

interface Values<Row> {
  readonly name: keyof Row & string
  readonly column: Column
  cells: (Cell | bigint | Uint8Array)[]
}

/** Collects rows by column until they are written to a file. */
export class RowGroup<Row extends Flat<Row>> {
  readonly #columns: readonly Values<Row>[]
  readonly #texts = new TextArena()
  #rows = 0
  #characters = 0

  constructor(columns: Columns<Row>) {
    const names = Object.keys(columns) as (keyof Row & string)[]
    this.#columns = names.map(name => ({ name, column: columns[name], cells: [] }))
  }

  get isFull(): boolean {
    return this.#rows >= maxRows || this.#characters >= maxCharacters
  }

  add(row: Row): void {
    for (const { name, column, cells } of this.#columns) {
      const cell: Cell = row[name]
      if (typeof cell === 'string') this.#characters += cell.length
      if (typeof cell === 'string' && column.layout !== 'repeated') cells.push(this.#texts.encode(cell))
      else cells.push(typeof cell === 'number' && column.type === 'wide' ? BigInt(cell) : cell)
    }
    this.#rows += 1
  }

  /** Writes the rows as one row group, and starts the next group. */
  async moveTo(writer: ParquetWriter): Promise<void> {
    if (this.#rows === 0) return
    await writer.write({
      rowGroupSize: this.#rows,
      // A group is small and is read as a whole. Splitting its columns into pages would only cost time.
      pageSize: 0,
      columnData: this.#columns.map(({ name, column, cells }) => ({
        name,
        data: cells,
        offsetIndex: false,
        ...(column.layout === 'repeated' ? {} : { encoding: 'PLAIN' as const }),
        ...(column.layout === 'digest' ? { codec: 'UNCOMPRESSED' as const } : {}),
      })),
    })
    for (const values of this.#columns) values.cells = []
    this.#texts.clear()
    this.#rows = 0
    this.#characters = 0
  }
}

const chunkBytes = 1 << 20

/**
 * Stores texts as UTF-8 in a few large buffers that are reused. One array for each text would cost more than everything
 * else in writing a file.
 */
class TextArena {
  readonly #chunks: Buffer[] = []
  #chunk = -1
  #used = chunkBytes

  /** @returns a view that is valid until the next {@link clear} */
  encode(text: string): Uint8Array {
    // A UTF-16 unit takes at most three bytes in UTF-8.
    const room = text.length * 3
    if (room > chunkBytes) return Buffer.from(text)
    if (this.#used + room > chunkBytes) {
      this.#chunk += 1
      this.#used = 0
    }
    const chunk = (this.#chunks[this.#chunk] ??= Buffer.allocUnsafeSlow(chunkBytes))
    const start = this.#used
    this.#used += chunk.write(text, start)
    return chunk.subarray(start, this.#used)
  }

  clear(): void {
    this.#chunk = -1
    this.#used = chunkBytes
  }
}
