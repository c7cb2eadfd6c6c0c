/** Reads a long table one page at a time, so that no read transaction blocks writers. */
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

/** The maximum number of rows that are read at once, if they are passed on and then garbage. Few rows are cheap to collect. */
const fewRows = 200
/** The maximum number of characters that are read at once. */
const fewCharacters = 500_000

/** Reads the first few rows of a query, up to these limits. It reads no more rows than it returns. */
export function readFewRows<Row>(rows: Iterable<Row>, charactersIn: (row: Row) => number): readonly Row[] {
  const few: Row[] = []
  let characters = 0
  for (const row of rows) {
    few.push(row)
    characters += charactersIn(row)
    if (few.length >= fewRows || characters >= fewCharacters) break
  }
  return few
}
