/** Tracks the visible rows of a long table. Other rows are replaced by space, so that thousands of rows stay fast. */
import type { RefObject } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { mostPrintedRows, usePrinting } from '../printing.js'

const spareRows = 10

interface VisibleRows {
  readonly start: number
  /** Exclusive. */
  readonly end: number
  readonly onScroll: () => void
}

/**
 * @param box the element that scrolls
 * @param headHeight the height of the head, which covers the first pixels of the box
 * @param selected the row to scroll to whenever it changes, or -1
 */
export function useVisibleRows(
  box: RefObject<HTMLElement | null>,
  {
    count,
    rowHeight,
    headHeight,
    selected,
  }: { readonly count: number; readonly rowHeight: number; readonly headHeight: number; readonly selected: number },
): VisibleRows {
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(800)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const observer = new ResizeObserver(() => setHeight(element.clientHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    const element = box.current
    if (element === null || selected < 0) return
    const offset = selected * rowHeight
    const room = element.clientHeight - headHeight
    if (offset < element.scrollTop) element.scrollTop = offset
    else if (offset + rowHeight > element.scrollTop + room) element.scrollTop = offset + rowHeight - room
  }, [selected])
  const onScroll = (): void => setTop(box.current?.scrollTop ?? 0)
  if (usePrinting()) return { start: 0, end: Math.min(count, mostPrintedRows), onScroll }
  return {
    start: Math.max(0, Math.floor(top / rowHeight) - spareRows),
    end: Math.min(count, Math.ceil((top + height) / rowHeight) + spareRows),
    onScroll,
  }
}
