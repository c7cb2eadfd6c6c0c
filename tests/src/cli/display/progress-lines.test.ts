import { expect, test } from 'vitest'
import type { StageEvent } from '../../../../cache/events.js'
import { progressBars, progressLine } from '../../../../src/cli/display/progress-lines.js'
import { advance, noProgress } from '../../../../src/cli/display/progress-state.js'
import { plain } from '../../../../src/present/text/layout/paint.js'

test('shows the first reason why docs are not judged, and only the number on a narrow screen', () => {
  const stages = { input: true, model: true, judge: true }
  const failing = (firstReason: string): StageEvent => ({
    ...{ type: 'docs-scored', docs: 30, reused: 0, unparsed: 0, empty: 0 },
    ...{ failed: 30, firstReason },
  })
  const unjudged = [failing('the judge said\n  nothing'), failing('too late')].reduce(
    (before, event) => advance(before, event, 1),
    noProgress,
  )
  expect(progressBars(unjudged, { now: 5_000, stages }, plain).at(-1)).toMatch(
    / unparsed 0 {3}not judged 60, the first: the judge said nothing$/,
  )
  expect(progressBars(unjudged, { now: 5_000, stages }, { ...plain, columns: 60 }).at(-1)).toMatch(/ not judged 60$/)
  expect(progressLine(unjudged, { now: 5_000, stages })).toContain(
    ' · not judged 60, the first: the judge said nothing',
  )
  const long = advance(noProgress, failing('x'.repeat(5_000)), 1)
  expect(progressLine(long, { now: 5_000, stages }).length).toBeLessThan(500)
})
