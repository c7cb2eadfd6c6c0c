/** Samples as pictures: lines of tiles in the same virtual list. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { SampleFilter, SampleRow } from '../../../present/page/data/index.js'
import type { Source } from '../../data/source.js'
import { OutcomeBadge } from '../../parts/badge.js'
import { HitLine } from '../../parts/hits.js'
import { formatLine } from '../../parts/safe-text.js'
import { VirtualList } from '../../parts/scrolling/virtual-list.js'
import { MarkBadge } from './list-columns.js'
import { sampleHash } from './sample-address.js'
import { Thumbnail } from './thumbnail.js'

const tileWidth = 168
const tileHeight = 190

interface PictureGridProps {
  readonly source: Source
  readonly run: string
  readonly filter: SampleFilter
  readonly count: number
  readonly selected: number
  readonly version: string
  readonly row: (index: number) => SampleRow | undefined
  readonly open: (index: number) => void
  readonly onSelect: (index: number) => void
  readonly onRange: (start: number, end: number) => void
  /** Is called with the number of tiles side by side. */
  readonly onLine: (tiles: number) => void
}

/** Shows samples as a grid of their pictures. */
export function PictureGrid({
  source,
  run,
  filter,
  count,
  selected,
  version,
  row,
  onSelect,
  onRange,
  onLine,
  open,
}: PictureGridProps) {
  const box = useRef<HTMLDivElement>(null)
  const [tiles, setTiles] = useState(4)
  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const measure = (): void => setTiles(Math.max(1, Math.floor(element.clientWidth / tileWidth)))
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    measure()
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    onLine(tiles)
    return () => onLine(1)
  }, [tiles])
  const tile = (index: number) => {
    const sample = row(index)
    return (
      <div
        key={index}
        role="gridcell"
        class={`tile ${index === selected ? 'is-selected' : ''}`}
        aria-colindex={(index % tiles) + 1}
        onClick={() => onSelect(index)}
        onDblClick={() => open(index)}
      >
        {sample === undefined ? (
          <span class="placeholder" />
        ) : (
          <>
            <a
              href={sampleHash(run, sample, filter, { at: index })}
              tabIndex={-1}
              class="tile-picture"
              aria-label={`Open ${formatLine(sample.id, 60)}`}
            >
              {sample.medium === undefined ? (
                <span class="tile-text">
                  <HitLine text={sample.prompt} characters={120} />
                </span>
              ) : (
                <Thumbnail source={source} medium={sample.medium} width={320} />
              )}
            </a>
            <span class="tile-line">
              <OutcomeBadge outcome={sample.outcome} isRight={sample.isRight} />
              {sample.marked !== undefined && <MarkBadge label={sample.marked} />}
              <span class="tile-answer" dir="auto">
                <HitLine text={sample.extracted ?? sample.answer} characters={60} />
              </span>
            </span>
          </>
        )}
      </div>
    )
  }
  return (
    <div ref={box} class="picture-grid">
      <VirtualList
        label="Samples as pictures"
        count={Math.ceil(count / tiles)}
        rowHeight={tileHeight}
        selected={Math.floor(selected / tiles)}
        version={`${version} ${tiles} ${selected}`}
        row={line => (
          <div class="tiles" role="presentation" style={{ gridTemplateColumns: `repeat(${tiles}, 1fr)` }}>
            {Array.from({ length: Math.min(tiles, count - line * tiles) }, (_, position) =>
              tile(line * tiles + position),
            )}
          </div>
        )}
        onRange={(start, end) => onRange(start * tiles, Math.min(count, end * tiles))}
      />
    </div>
  )
}
