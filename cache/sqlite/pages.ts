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
