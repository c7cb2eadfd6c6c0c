/** A list of up to millions of rows of one height, of which only those in sight are elements. */
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Browsers cut off elements above about 17 to 33 million pixels. Taller lists scroll by a scale. */
const mostPixels = 8_000_000
/** Rows before and behind those in sight, so that scrolling shows no gap. */
const spare = 12

export interface VirtualListProps {
  /** What the rows are, for screen readers. */
  readonly label: string
  readonly count: number
  readonly rowHeight: number
  /** The row that has the focus, or -1. It is kept in sight whenever it changes. */
  readonly selected: number
  readonly row: (index: number) => ComponentChildren
  /** Is called with the range of rows that are drawn, to load them. `end` is exclusive. */
  readonly onRange?: (start: number, end: number) => void
}

export function VirtualList({ label, count, rowHeight, selected, row, onRange }: VirtualListProps) {
  const box = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(600)
  const whole = count * rowHeight
  const pixels = Math.min(whole, mostPixels)
  // The positions of the scroll bar that the rows above the last screenful are spread over.
  const scale = pixels <= height ? 1 : (whole - height) / (pixels - height)
  const firstPixel = top * scale
  const start = Math.max(0, Math.floor(firstPixel / rowHeight) - spare)
  const end = Math.min(count, Math.ceil((firstPixel + height) / rowHeight) + spare)

  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const observer = new ResizeObserver(() => setHeight(element.clientHeight))
    observer.observe(element)
    setHeight(element.clientHeight)
    return () => observer.disconnect()
  }, [])

  useEffect(() => {
    onRange?.(start, end)
  }, [start, end, count])

  useLayoutEffect(() => {
    const element = box.current
    if (element === null || selected < 0) return
    const place = selected * rowHeight
    const current = element.scrollTop * scale
    if (place < current) element.scrollTop = place / scale
    else if (place + rowHeight > current + height) element.scrollTop = (place + rowHeight - height) / scale
  }, [selected])

  const rows = []
  for (let index = start; index < end; index += 1) {
    rows.push(
      <div
        key={index}
        role="row"
        aria-rowindex={index + 2}
        aria-selected={index === selected}
        class="virtual-row"
        style={{ transform: `translateY(${top + index * rowHeight - firstPixel}px)`, height: `${rowHeight}px` }}
      >
        {row(index)}
      </div>,
    )
  }
  return (
    <div
      ref={box}
      class="virtual-list"
      role="grid"
      aria-label={label}
      aria-rowcount={count + 1}
      tabIndex={0}
      onScroll={event => setTop(event.currentTarget.scrollTop)}
    >
      <div class="virtual-space" role="rowgroup" style={{ height: `${pixels}px` }}>
        {rows}
      </div>
    </div>
  )
}
