/**
 * Browsers cut off elements above about 17 to 33 million pixels, so a taller list has a shorter scroll bar. Small steps
 * (wheel, touch) still move the rows pixel by pixel; only large ones (the thumb of the scroll bar) are scaled.
 */
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

const mostPixels = 12_000_000
/** After small steps, the scroll bar moves to where the rows are once scrolling has rested this long. */
const restMs = 200

export interface ScrollState {
  /** The first pixel of the list that is in sight. */
  readonly first: number
  /** The scroll bar's position. */
  readonly bar: number
}

/** Where the list stands after the scroll bar moved to `bar`. */
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

export function useScaledScroll(box: RefObject<HTMLElement | null>, whole: number, height: number) {
  const pixels = Math.min(whole, mostPixels)
  const [state, setState] = useState<ScrollState>({ first: 0, bar: 0 })
  const latest = useRef(state)
  const rest = useRef(0)
  const moveTo = (next: ScrollState): void => {
    latest.current = next
    setState(next)
  }
  const barAt = (first: number): number =>
    whole <= pixels ? first : (first * (pixels - height)) / Math.max(1, whole - height)
  /** Moves rows and scroll bar. The event that this causes finds the scroll bar where it is already, and moves nothing. */
  const scrollTo = (first: number): void => {
    const element = box.current
    if (element === null) return
    element.scrollTop = barAt(first)
    moveTo({ first, bar: element.scrollTop })
  }
  const scrolled = (): void => {
    const element = box.current
    if (element === null || element.scrollTop === latest.current.bar) return
    moveTo(afterScroll(latest.current, element.scrollTop, { whole, pixels, height }))
    if (whole <= pixels) return
    clearTimeout(rest.current)
    rest.current = window.setTimeout(() => scrollTo(latest.current.first), restMs)
  }
  useEffect(() => () => clearTimeout(rest.current), [])
  useEffect(() => {
    const last = Math.max(0, whole - height)
    if (latest.current.first > last) scrollTo(last)
  }, [whole, height])
  return { pixels, first: state.first, shift: state.bar, scrolled, scrollTo }
}
