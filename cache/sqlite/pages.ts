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
