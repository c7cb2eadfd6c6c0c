import { describe, expect, it } from 'vitest'
import type { SampleRow, SampleRows } from '../../../src/present/page/data/index.js'
import { wordDifferences } from '../../../src/web/pages/sample/word-differences.js'
import { parseSampleFilter, makeQuery } from '../../../src/web/pages/samples/filter-query.js'
import { RowPages, rowsPerPage } from '../../../src/web/pages/samples/row-pages.js'
import { computeRectangle } from '../../../src/web/parts/media/box-geometry.js'
import { fitPicture, zoomedAt } from '../../../src/web/parts/media/zoom-view.js'
import { afterScroll } from '../../../src/web/parts/scrolling/scroll-state.js'

describe('the filter in the address', () => {
  it('survives a round trip', () => {
    const filter = {
      only: 'flipped',
      against: 'base@2',
      task: 'mmmu',
      labels: { subject: 'law & order' },
      marked: 'wrong',
      q: 'a "b"',
      sort: 'change',
      descending: true,
    } as const
    const written = new URLSearchParams(
      Object.entries(makeQuery(filter)).filter(([, value]) => value !== undefined) as [string, string][],
    )
    expect(parseSampleFilter(Object.fromEntries(written))).toEqual(filter)
  })

  it('ignores unknown parameters', () => {
    expect(parseSampleFilter({ only: 'flipped', sort: 'up', marked: 'x', at: '3' })).toEqual({ only: 'all' })
  })
})

describe('wordDifferences', () => {
  const parts = (a: string, b: string) => {
    const spans = wordDifferences(a, b)
    return spans && { a: spans.a.map(span => a.slice(...span)), b: spans.b.map(span => b.slice(...span)) }
  }
  it('finds the words that differ', () => {
    expect(parts('The answer is 4, I think.', 'The answer is seven, I think.')).toEqual({ a: ['4'], b: ['seven'] })
    expect(parts('one two', 'one two')).toEqual({ a: [], b: [] })
    expect(parts('', 'new words')).toEqual({ a: [], b: ['new words'] })
  })
  it('does not compare texts that would take too long', () => {
    expect(wordDifferences('a b '.repeat(5000), 'c d '.repeat(5000))).toBeUndefined()
  })
})

describe('RowPages', () => {
  const row = (index: number): SampleRow => ({
    task: 0,
    index,
    id: `doc-${index}`,
    taskName: 't',
    outcome: 'scored',
    metric: 'm',
    value: 1,
    isRight: true,
    prompt: '',
    answer: '',
    target: '',
  })
  const rowsFrom = (offset: number, limit: number): SampleRows => ({
    total: 1_000_000,
    prepared: { of: 1_000_000, filters: 1_000_000, text: 1_000_000 },
    offset,
    rows: Array.from({ length: limit }, (_, place) => row(offset + place)),
  })

  it('loads visible rows, and cancels loading of rows out of sight', async () => {
    const asked: { readonly offset: number; readonly signal: AbortSignal; readonly answer: () => void }[] = []
    let changed = (): void => undefined
    const pages = new RowPages<SampleRow>(
      (offset, limit, signal) =>
        new Promise(resolve => asked.push({ offset, signal, answer: () => resolve(rowsFrom(offset, limit)) })),
      () => changed(),
    )
    const change = (): Promise<void> => new Promise(resolve => (changed = resolve))
    pages.show(0, 20)
    expect(asked.map(({ offset }) => offset)).toEqual([0])
    pages.show(500_000, 500_020)
    expect(asked.map(({ offset, signal }) => [offset, signal.aborted])).toEqual([
      [0, true],
      [500_000, false],
    ])
    const first = change()
    asked[1]?.answer()
    await first
    expect(pages.total).toBe(1_000_000)
    expect(pages.row(500_007)?.id).toBe('doc-500007')
    expect(pages.row(3)).toBeUndefined()
    pages.close()
  })

  it('keeps rows while newer ones are loading, and says why there are none', async () => {
    let isBroken = false
    let changed = (): void => undefined
    const pages = new RowPages<SampleRow>(
      (offset, limit) =>
        isBroken ? Promise.reject(new Error('the store is gone')) : Promise.resolve(rowsFrom(offset, limit)),
      () => changed(),
    )
    const change = (): Promise<void> => new Promise(resolve => (changed = resolve))
    const first = change()
    pages.show(0, rowsPerPage)
    await first
    isBroken = true
    const second = change()
    pages.refresh()
    await second
    expect([pages.row(0)?.id, pages.error]).toEqual(['doc-0', 'the store is gone'])
    pages.close()
  })
})

describe('afterScroll', () => {
  const list = { whole: 44_000_000, pixels: 12_000_000, height: 600 }
  it('moves small steps pixel by pixel, and large ones by the scale', () => {
    expect(afterScroll({ first: 20_000_000, bar: 5_000_000 }, 5_000_100, list).first).toBe(20_000_100)
    expect(afterScroll({ first: 0, bar: 0 }, 6_000_000, list).first).toBeCloseTo(22_000_800, -3)
  })
  it('reaches both ends', () => {
    expect(afterScroll({ first: 900, bar: 300 }, 0, list).first).toBe(0)
    expect(afterScroll({ first: 43_000_000, bar: 11_999_000 }, 11_999_400, list).first).toBe(43_999_400)
  })
  it('does not move a list that fits', () => {
    expect(afterScroll({ first: 0, bar: 0 }, 5000, { whole: 9000, pixels: 9000, height: 600 }).first).toBe(5000)
  })
})

it('draws boxes with corners in any order within the picture', () => {
  expect(computeRectangle({ corners: [0.5, 0.75, -1, 0.25] })).toEqual({ x: 0, y: 0.25, width: 0.5, height: 0.5 })
})

it('zooms around the pointer', () => {
  const view = fitPicture({ width: 1000, height: 500 }, { width: 500, height: 500 })
  expect(view).toEqual({ x: 0, y: 125, scale: 0.5 })
  const zoomed = zoomedAt(view, 2, 250, 250)
  expect(zoomed).toEqual({ x: -250, y: 0, scale: 1 })
})
