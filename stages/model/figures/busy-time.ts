/** Spans of time in which at least one request was waiting or under way, ascending, apart from each other. Milliseconds. */
export interface BusyTime {
  readonly spans: readonly Span[]
  /** Of all spans together. */
  readonly total: number
}

interface Span {
  readonly from: number
  readonly to: number
  /** Busy milliseconds before it. */
  readonly before: number
}

/**
 * The union of intervals. What lies between, when no process lived or there was nothing to ask, is no part of it.
 *
 * @param starts in any order
 * @param ends of the same intervals
 */
export function busyTime(starts: Float64Array, ends: Float64Array): BusyTime {
  const order = Uint32Array.from(starts.keys()).sort((a, b) => (starts[a] ?? 0) - (starts[b] ?? 0))
  const spans: Span[] = []
  let total = 0
  let open: { from: number; to: number } | undefined
  const close = (): void => {
    if (open === undefined) return
    spans.push({ ...open, before: total })
    total += open.to - open.from
  }
  for (const place of order) {
    const from = starts[place] ?? 0
    const to = ends[place] ?? 0
    if (open !== undefined && from <= open.to) open.to = Math.max(open.to, to)
    else {
      close()
      open = { from, to }
    }
  }
  close()
  return { spans, total }
}

/** How much busy time lies before a moment: its place on an axis from which all idle time is cut. */
export function busyBefore({ spans }: BusyTime, moment: number): number {
  let [low, high] = [0, spans.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((spans[middle]?.from ?? 0) <= moment) low = middle + 1
    else high = middle
  }
  const span = spans[low - 1]
  return span === undefined ? 0 : span.before + Math.min(moment, span.to) - span.from
}

/** A stretch without work: how much busy time was before it, and how long it lasted. Milliseconds. */
export interface Pause {
  readonly at: number
  readonly lasted: number
}

/** Stretches without work of at least so many milliseconds, in the order of time. */
export const pauses = ({ spans }: BusyTime, atLeast: number): readonly Pause[] =>
  spans.flatMap((span, place) => {
    const lasted = span.from - (spans[place - 1]?.to ?? span.from)
    return lasted >= atLeast && lasted > 0 ? [{ at: span.before, lasted }] : []
  })
