/** The scroll position in a list. The scroll bar may be shorter than the rows. */
export interface ScrollState {
  /** The first visible pixel of the list. */
  readonly first: number
  /** The scroll bar's position. */
  readonly bar: number
}

/** Computes the state of the list after the scroll bar moved to `bar`. */
export function afterScroll(
  { first, bar: before }: ScrollState,
  bar: number,
  { whole, pixels, height }: { readonly whole: number; readonly pixels: number; readonly height: number },
): ScrollState {
  const last = Math.max(0, whole - height)
  const lastBar = Math.max(0, pixels - height)
  if (whole <= pixels) return { first: bar, bar }
  if (bar <= 0) return { first: 0, bar }
  if (bar >= lastBar - 1) return { first: last, bar }
  const step = bar - before
  const isSmall = Math.abs(step) < 2 * height
  return { first: Math.min(last, Math.max(0, isSmall ? first + step : (bar * last) / lastBar)), bar }
}
