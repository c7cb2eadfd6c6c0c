import { expect, test } from 'vitest'
import { plain } from '../../../../../src/present/text/layout/paint.js'
import { displayWidth } from '../../../../../src/present/text/layout/width.js'
import { columnPlot } from '../../../../../src/present/text/throughput/plot.js'

test('a plot is at most as wide as the screen, and averages the values of a column', () => {
  const values = Array.from({ length: 60 }, (_, at) => (at < 30 ? 4 : 8))
  for (const columns of [23, 33, 43, 63, 200]) {
    const lines = columnPlot({ title: 'answers', values, ends: ['0 s', '9 s'] }, String, { ...plain, columns })
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns)
    // The first half reaches half of the height, the second half all of it.
    const cells = Math.min(60, columns - 3)
    expect(lines[1]).toBe(`8 ┤${' '.repeat(cells / 2)}${'█'.repeat(cells / 2)}`)
  }
})
