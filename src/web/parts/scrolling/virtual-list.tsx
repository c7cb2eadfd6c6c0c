/** Shows a list of up to millions of rows of one height. Only visible rows are elements. */
import { type ComponentChildren, Component } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { mostPrintedRows, usePrinting } from '../printing.js'
import { useScaledScroll } from './scaled-scroll.js'

/** The number of extra rows on either side, so that scrolling shows no gap. */
const spare = 10

/** The rows of a list, their height and the selected row. */
export interface VirtualListProps {
  /** The content of the rows, for screen readers. */
  readonly label: string
  readonly count: number
  readonly rowHeight: number
  /** The row with the focus, or -1. The list scrolls to it whenever it changes. */
  readonly selected: number
  /** The cells of a row: elements with the role `gridcell`. */
  readonly row: (index: number) => ComponentChildren
  /** Changes whenever `row` would draw the same index differently. */
  readonly version?: unknown
  /** The cells of the header: elements with the role `columnheader`. */
  readonly header?: ComponentChildren
  readonly onSelect?: (index: number) => void
  readonly onOpen?: (index: number) => void
  /** Is called with the range of rows that are drawn, to load them. `end` is exclusive. */
  readonly onRange?: (start: number, end: number) => void
  /** Called with the number of visible rows, for PageUp and PageDown. */
  readonly onFit?: (rows: number) => void
}

const rowId = (index: number): string => `row-${index}`

/** Shows a long list and renders only its visible rows. */
export function VirtualList(props: VirtualListProps) {
  const { label, count, rowHeight, selected, row, header, version, onRange, onFit } = props
  const box = useRef<HTMLDivElement>(null)
  const top = useRef<HTMLDivElement>(null)
  const [height, setHeight] = useState(600)
  const { pixels, first, shift, scrolled, scrollTo } = useScaledScroll(box, count * rowHeight, height)
  const isPrinting = usePrinting()
  const start = isPrinting ? 0 : Math.max(0, Math.floor(first / rowHeight) - spare)
  const end = Math.min(count, isPrinting ? mostPrintedRows : Math.ceil((first + height) / rowHeight) + spare)

  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const measure = (): void => setHeight(Math.max(0, element.clientHeight - (top.current?.offsetHeight ?? 0)))
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    measure()
    return () => observer.disconnect()
  }, [])

  useEffect(() => onRange?.(start, end), [start, end, count, onRange])
  useEffect(() => onFit?.(Math.max(1, Math.floor(height / rowHeight))), [height, rowHeight, onFit])

  useLayoutEffect(() => {
    if (selected < 0 || selected >= count) return
    const offset = selected * rowHeight
    if (offset < first) scrollTo(offset)
    else if (offset + rowHeight > first + height) scrollTo(offset + rowHeight - height)
  }, [selected, count > selected, height])

  const rows = []
  for (let index = start; index < end; index += 1) {
    const isSelected = index === selected
    rows.push(<Row key={index} {...{ index, isSelected, rowHeight, row, version }} />)
  }
  const at = (event: Event): number => {
    const element = (event.target as Element).closest('[aria-rowindex]')
    return element === null ? -1 : Number(element.getAttribute('aria-rowindex')) - 2
  }
  return (
    <div
      ref={box}
      class="virtual-list"
      role="grid"
      aria-label={label}
      aria-rowcount={count + 1}
      aria-readonly="true"
      aria-activedescendant={selected >= start && selected < end ? rowId(selected) : undefined}
      tabIndex={0}
      onScroll={scrolled}
      onClick={event => at(event) >= 0 && props.onSelect?.(at(event))}
      onDblClick={event => at(event) >= 0 && props.onOpen?.(at(event))}
    >
      {header !== undefined && (
        <div ref={top} class="virtual-header" role="rowgroup">
          <div role="row" aria-rowindex={1} class="virtual-row">
            {header}
          </div>
        </div>
      )}
      <div class="virtual-space" role="rowgroup" style={{ height: `${pixels}px` }}>
        <div
          class="virtual-rows"
          role="presentation"
          style={{ transform: `translateY(${start * rowHeight - first + shift}px)` }}
        >
          {rows}
        </div>
      </div>
    </div>
  )
}

interface RowProps {
  readonly index: number
  readonly isSelected: boolean
  readonly rowHeight: number
  readonly row: (index: number) => ComponentChildren
  readonly version: unknown
}

/** Renders a row only if it changed, so that scrolling costs only the newly visible rows. */
const Row = memo(
  ({ index, isSelected, rowHeight, row }: RowProps) => (
    <div
      id={rowId(index)}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      class="virtual-row"
      style={{ height: `${rowHeight}px` }}
    >
      {row(index)}
    </div>
  ),
  (old, now) =>
    old.index === now.index &&
    old.isSelected === now.isSelected &&
    old.rowHeight === now.rowHeight &&
    old.version === now.version,
)

/** Makes a component that only renders again if its properties change. Preact has this only in its compatibility package. */
function memo<P extends object>(draw: (props: P) => ComponentChildren, isSame: (old: P, now: P) => boolean) {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(now: P): boolean {
      return !isSame(this.props, now)
    }
    override render() {
      return draw(this.props)
    }
  }
}
