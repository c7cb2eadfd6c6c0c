/** Reads a long table a page at a time, so that no read stands open while others write. */
export async function* pages<Row>(read: (last: Row | undefined) => readonly Row[]): AsyncGenerator<readonly Row[]> {
  let last: Row | undefined
  for (;;) {
    const rows = read(last)
    if (rows.length === 0) return
    yield rows
    last = rows.at(-1)
    await new Promise(setImmediate)
  }
}

/** Rows that are written on as they are read, and garbage then: a few at a time are collected for next to nothing. */
const fewRows = 200
/** Where texts are long. */
const fewCharacters = 500_000

/** The first few rows of a query, however long their texts are. No more are read than are given. */
export function fewOf<Row>(rows: Iterable<Row>, charactersIn: (row: Row) => number): readonly Row[] {
  const few: Row[] = []
  let characters = 0
  for (const row of rows) {
    few.push(row)
    characters += charactersIn(row)
    if (few.length >= fewRows || characters >= fewCharacters) break
  }
  return few
}

/** Row numbers, which are dense: a bit for each up to the highest, where a Set of a million would take 40 MB. */
export class RowNumberSet {
  #bits = new Uint8Array(1024)

  /** @returns whether it was not in the set before. */
  add(number: number): boolean {
    const place = number >>> 3
    if (place >= this.#bits.length) this.#grow(place)
    const before = this.#bits[place] ?? 0
    const after = before | (1 << (number & 7))
    this.#bits[place] = after
    return after !== before
  }

  #grow(place: number): void {
    const larger = new Uint8Array(Math.max(place + 1, 2 * this.#bits.length))
    larger.set(this.#bits)
    this.#bits = larger
  }
}
