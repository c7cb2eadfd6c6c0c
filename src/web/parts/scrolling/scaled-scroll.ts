/**
 * Browsers cut off elements above about 17 to 33 million pixels, so a taller list has a shorter scroll bar. Small steps
 * (wheel, touch) still move the rows pixel by pixel; only large ones (the thumb of the scroll bar) are scaled.
 */
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { afterScroll, type ScrollState } from './scroll-state.js'

const mostPixels = 12_000_000
/** After small steps, the scroll bar moves to where the rows are once scrolling has rested this long. */
const restMs = 200

/** Scrolls lists that are taller than browsers allow, by scaling the scroll bar. */
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
  const handleScroll = (): void => {
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
  return { pixels, first: state.first, shift: state.bar, scrolled: handleScroll, scrollTo }
}
