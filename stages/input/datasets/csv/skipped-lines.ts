/**
 * A text without so many lines at its beginning, blank ones counted. In them, too, a line end between quotes ends none where
 * the quotes begin a value.
 *
 * Source: `skiprows` in pandas' `tokenizer.c`.
 */
export async function* withoutLines(
  pieces: AsyncIterable<string>,
  count: number,
  { separator, quote }: { readonly separator: string; readonly quote: string },
): AsyncGenerator<string> {
  let left = count
  let at: 'start' | 'value' | 'quoted' | 'closing' = 'start'
  const pass = (character: string | undefined): void => {
    if (at === 'quoted') {
      if (character === quote) at = 'closing'
    } else if (character === '\n') {
      left--
      at = 'start'
    } else if (character === quote && at !== 'value') at = 'quoted'
    else at = character === separator ? 'start' : 'value'
  }
  for await (const piece of pieces) {
    let from = 0
    while (left > 0 && from < piece.length) pass(piece[from++])
    if (left === 0) yield piece.slice(from)
  }
}
