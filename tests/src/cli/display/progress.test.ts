import { expect, test } from 'vitest'
import type { StageEvent } from '../../../../cache/events.js'
import { endingLine } from '../../../../src/cli/this-process/interruption.js'
import { LiveProgress, quietProgress } from '../../../../src/cli/display/progress.js'
import { progressBars, progressLine } from '../../../../src/cli/display/progress-lines.js'
import { presentRate, requestsInFlight, timeLeft } from '../../../../src/cli/display/progress-figures.js'
import {
  advance,
  noProgress,
  settledProgress,
  startingProgress,
  type ProgressState,
} from '../../../../src/cli/display/progress-state.js'
import { terminalOn, type Terminal } from '../../../../src/cli/display/terminal.js'
import { paintFor, plain, shownText } from '../../../../src/present/text/layout/paint.js'
import { aggregate, counts, someRun } from '../../../support/report-data.js'
import { virtualClock } from '../../../support/virtual-clock.js'

const stages = { input: true, model: true, judge: true }

const events: readonly StageEvent[] = [
  { type: 'task-opened', task: 'shapes_vqa', docs: 1000 },
  { type: 'docs-read', task: 'shapes_vqa', docs: 500, requests: 1000, shared: 0, newMedia: 30 },
  { type: 'from-store', requests: 100 },
  { type: 'requests-sent', requests: 440 },
  { type: 'answered', requests: 400 },
  { type: 'request-failed', class: 'timeout', message: 'late' },
  { type: 'request-retried', class: 'rate_limited', waitMs: 100 },
  { type: 'request-retried', class: 'rate_limited', waitMs: 100, isThrottled: true },
  { type: 'docs-scored', docs: 250, reused: 50, unparsed: 2, empty: 3, failed: 0 },
]
const state = events.reduce((before, event) => advance(before, event, 1_000), noProgress)

const pace = { type: 'pace', concurrency: 64, inFlight: 37, waitingMs: 2_000, throttled: 1 } as const

test('shows three bars with the figures of each stage', () => {
  expect(progressBars(state, { now: 5_000, stages }, plain)).toEqual([
    '  input   ██████████░░░░░░░░░░ 500/1,000   new media 30',
    '  model   █████▒░░░░░░░░░░░░░░ 500/2,000   100.0/s   37 in flight   throttled 0.4 % (2 of 440 sent)   failed 1 (timeout 1)   from store 100   retries 1 (rate_limited 1)',
    '  judge   █████░░░░░░░░░░░░░░░ 250/1,000   empty 3   unparsed 2',
  ])
})

test('shows the elapsed and the remaining time, and the age of the oldest request', () => {
  const paced = advance(state, { ...pace, oldestMs: 500 }, 5_000)
  const started = { ...paced, startedAt: -55_000 }
  expect(progressBars(started, { now: 8_000, stages }, plain).at(-1)).toBe(
    '  time    1 min 3 s   26 s left   oldest request 3.5 s',
  )
  expect(progressLine(started, { now: 8_000, stages })).not.toContain('oldest')
  expect(progressLine(started, { now: 15_000, stages })).toContain(' · oldest request 11 s')
})

test('counts a shared request once, so that the remaining time covers only unsent requests', () => {
  const shared = [
    { type: 'task-opened', task: 'shapes_vqa', docs: 1000 },
    { type: 'docs-read', task: 'shapes_vqa', docs: 1000, requests: 1000, shared: 980, newMedia: 0 },
    { type: 'answered', requests: 5 },
  ] as const
  const of20 = shared.reduce<ProgressState>((before, event) => advance(before, event, 1_000), noProgress)
  expect(progressLine(of20, { now: 6_000, stages })).toContain('model 5/20 · 1.0/s')
  expect(timeLeft(of20, 6_000)).toBe(15_000)
})

test('a resumed run counts a request that open docs share once, too', () => {
  const open = counts({ docs: 1000, docsByTask: [1000], items: 1000, answered: 500, pending: 500, shared: 480 })
  const resumed = advance(
    { ...startingProgress(someRun, open), askingSince: 1_000 },
    { type: 'answered', requests: 5 },
    1_000,
  )
  expect(progressLine(resumed, { now: 6_000, stages })).toContain('model 505/520 · 1.0/s')
  expect(timeLeft(resumed, 6_000)).toBe(15_000)
})

test('does not print how long an interrupted run took to finish', () => {
  const ending = { ...state, startedAt: 0, isEnding: true }
  expect(progressBars(ending, { now: 5_000, stages }, plain).join('\n')).not.toContain('left')
  expect(progressLine(ending, { now: 5_000, stages })).not.toContain('left')
})

test('the first Ctrl-C says how many requests it waits for', () => {
  expect(endingLine(3)).toBe('finishing 3 requests in flight (Ctrl-C again to stop now)')
  expect(endingLine(undefined)).toBe('finishing what is in flight (Ctrl-C again to stop now)')
  expect(endingLine(0)).toBe('stopping: no request is in flight (Ctrl-C again to stop now)')
})

test('shows retries by class', () => {
  const again: StageEvent = { type: 'request-retried', class: 'server', waitMs: 100 }
  const [, model] = progressBars(
    [again, again].reduce((before, event) => advance(before, event, 1), state),
    { now: 5_000, stages },
    plain,
  )
  expect(model).toContain('retries 3 (rate_limited 1, server 2)')
})

test('shows the same figures in one line', () => {
  expect(progressLine(state, { now: 5_000, stages })).toBe(
    'input 500/1,000 · model 500/2,000 · 100.0/s · 37 in flight · throttled 0.4 % (2 of 440 sent) · failed 1 (timeout 1) · from store 100 · judge 250/1,000 · 15 s left',
  )
})

test('shows only the stages that run', () => {
  const lines = progressBars(state, { now: 5_000, stages: { input: false, model: false, judge: true } }, plain)
  expect(lines).toHaveLength(1)
})

test('counts requests in flight as those sent that have not ended', () => {
  expect(requestsInFlight(state)).toBe(37)
  expect(requestsInFlight(noProgress)).toBeUndefined()
})

test('counts second copies as in flight, and shows how many won', () => {
  const hedged = (['hedge-sent', 'hedge-sent'] as const).reduce((before, type) => advance(before, { type }, 1), state)
  expect(requestsInFlight(hedged)).toBe(39)
  const ended = advance(hedged, { type: 'hedge-ended', isFirst: true }, 2)
  expect(progressLine(ended, { now: 5_000, stages })).toContain(
    ' · 38 in flight · throttled 0.4 % (2 of 440 sent) · hedged 2, won 1 · ',
  )
})

test('shows the concurrency limit, and the wait that the server asks for in its own words', () => {
  const standstill = { why: 'limit', message: '429 slow \u001b[2Jdown', forMs: 0, untilMs: 2_000 } as const
  const paced = advance(state, { ...pace, standstill }, 5_000)
  expect(shownText(progressLine(paced, { now: 5_000, stages }))).toMatch(
    / · 37 of 64 in flight · .* · the server asks to wait 2\.0 s more: 429 slow \\u001b\[2Jdown$/,
  )
  expect(progressLine(paced, { now: 7_000, stages })).not.toContain('429')
})

test('shows how long no server has answered, and does not count unsent requests as in flight', () => {
  const standstill = {
    why: 'outage',
    message: 'http://h: nobody listens there',
    forMs: 12_000,
    untilMs: 3_000,
  } as const
  const away = advance(advance(state, { type: 'requests-unsent', requests: 37 }, 5_000), { ...pace, standstill }, 5_000)
  expect(requestsInFlight(away)).toBe(0)
  expect(progressBars(away, { now: 6_000, stages }, plain)[2]).toBe(
    '          nobody answers for 13 s, all requests wait, next try in 2.0 s: http://h: nobody listens there',
  )
})

test('a run that waits for another process names the process, the time and the number of requests', () => {
  const holder = { host: 'h', pid: 4711, isHere: true, items: 9, silentMs: 41_000 }
  const standstill = { why: 'others', message: '', forMs: 42_000, untilMs: 0, holders: [holder] } as const
  expect(progressLine(advance(state, { ...pace, standstill }, 5_000), { now: 5_000, stages })).toMatch(
    / · waiting for 42 s: process 4711 works on 9 requests and was not heard of for 41 s \(at 60 s they are taken over\)$/,
  )
})

test('counts answers and failures of other processes, too', () => {
  const read = counts({ docs: 1000, docsByTask: [1000], items: 2000, answered: 1_565, failed: { timeout: 4 } })
  const shared = advance(state, { type: 'run-counts', counts: read }, 2_000)
  const line = progressLine(shared, { now: 5_000, stages })
  expect(line).toContain('input 1,000/1,000 · model 1,565/2,000 · ')
  expect(line).toContain(' · failed 4 (timeout 1) · from store 100 · by others 1,065 · ')
  expect(requestsInFlight(shared)).toBe(37)
  const own = advance(shared, { type: 'answered', requests: 5 }, 3_000)
  expect(progressLine(own, { now: 5_000, stages })).toContain('model 1,570/2,000')
})

test('counts requests that could not be made from a doc as failed', () => {
  const read = {
    type: 'docs-read',
    task: 't',
    docs: 2,
    requests: 8,
    shared: 0,
    newMedia: 0,
    failed: { media: 4 },
  } as const
  const line = progressLine(advance(state, read, 2_000), { now: 5_000, stages })
  expect(line).toContain('failed 5 (timeout 1, media 4)')
  expect(requestsInFlight(advance(state, read, 2_000))).toBe(37)
})

test('does not count a request after a rate limit as a retry', () => {
  expect(state.retried).toEqual({ rate_limited: 1 })
  expect(state.throttled).toBe(2)
})

test('shows at most the limit as in flight, because answers being committed have freed their slots', () => {
  const quick = { type: 'pace', concurrency: 16, inFlight: 16, waitingMs: 0, throttled: 0 } as const
  expect(progressLine(advance(state, quick, 5_000), { now: 5_000, stages })).toContain(' · 16 of 16 in flight · ')
})

test('the rate covers the last seconds, or the whole run once it has ended', () => {
  const answered = (before: ProgressState, requests: number, now: number) =>
    advance(before, { type: 'answered', requests }, now)
  const opened = advance(noProgress, { type: 'task-opened', task: 't', docs: 1000 }, 0)
  const slower = [7_000, 8_000, 9_000, 12_000].reduce(
    (before, now) => answered(before, 1, now),
    answered(opened, 500, 1_000),
  )
  expect(presentRate(answered(opened, 500, 1_000), 2_000)).toBe(250)
  expect(presentRate(slower, 12_000)).toBe(4 / 5)
  expect(presentRate(slower, 17_000)).toBe(4 / 10)
})

test('shows no remaining time while the number of requests is unknown', () => {
  const unknown = advance(
    advance(noProgress, { type: 'task-opened', task: 't' }, 0),
    { type: 'answered', requests: 5 },
    1,
  )
  expect(timeLeft(unknown, 100)).toBeUndefined()
})

test('a resumed run starts from its stored counts', () => {
  const begun = startingProgress(someRun, counts({ docs: 300, docsByTask: [300], items: 300, answered: 120 }))
  expect(progressLine(begun, { now: 0, stages })).toContain('input 300/300 · model 120/300')
})

test('shows the counts of the store at the end', () => {
  const outcome = {
    run: someRun,
    isNew: false,
    counts: counts({ docs: 10, items: 10, answered: 9, failed: { media: 1 } }),
    judgement: { ref: 1, run: 1, number: 1, tasks: [], createdAt: 0, aggregates: [aggregate({ n: 9, empty: 2 })] },
    elapsedMs: 1,
    asked: 4,
    fromStore: 5,
    failures: [],
    unjudged: 0,
  }
  expect(progressLine(settledProgress(state, outcome), { now: 5_000, stages })).toContain(
    'input 10/10 · model 9/10 · 1.0/s · failed 1 (media 1) · from store 5 · judge 9/10',
  )
})

function screen(isLive: boolean) {
  const written: string[] = []
  const terminal = terminalOn({
    out: text => void written.push(text),
    err: text => void written.push(text),
    isLive,
    paint: { out: plain, err: isLive ? paintFor(false, () => 60) : plain },
  })
  return { terminal, written }
}

/** Moves up, and clears each row. */
const erased = (rows: number): string => `\u001b[${rows}A\r${'\u001b[2K\u001b[1B'.repeat(rows)}\u001b[${rows}A`

test('without a screen, prints one line every five seconds for any number of events', async () => {
  const clock = virtualClock()
  const { terminal, written } = screen(false)
  const progress = new LiveProgress(terminal, clock, stages)
  progress.start(someRun, {
    store: 's',
    version: '0',
    isNew: true,
    counts: counts({ docs: 0, docsByTask: [0], items: 0, answered: 0, inputFinished: false }),
  })
  for (const event of events) progress.emit(event)
  const before = written.length
  await clock.advance(4_999)
  expect(written).toHaveLength(before)
  await clock.advance(1)
  expect(written).toHaveLength(before + 1)
  expect(written.at(-1)).toContain('input 500/1,000')
})

test('on a screen, repaints the bars, and no line is longer than the screen', async () => {
  const clock = virtualClock()
  const { terminal, written } = screen(true)
  const progress = new LiveProgress(terminal, clock, stages)
  progress.start(someRun, { store: 's', version: '0', isNew: true, counts: counts() })
  progress.emit({ type: 'answered', requests: 1 })
  await clock.advance(100)
  progress.emit({ type: 'answered', requests: 1 })
  await clock.advance(100)
  expect(written.at(-1)?.startsWith(erased(7))).toBe(true)
  for (const line of (written.at(-1) ?? '').slice(erased(7).length).split('\n')) expect(line.length).toBeLessThan(60)
})

test('shows a long wait before the run is known', () => {
  const { terminal, written } = screen(false)
  const progress = new LiveProgress(terminal, virtualClock(), stages)
  progress.emit({ type: 'wait', what: 'the docs of mme to be opened', forMs: 5_000 })
  expect(written.at(-1)).toContain('waiting 5.0 s for the docs of mme to be opened')
})

test('updates the time without events, until the end', async () => {
  const clock = virtualClock()
  const { terminal, written } = screen(true)
  const progress = new LiveProgress(terminal, clock, stages)
  progress.start(someRun, { store: 's', version: '0', isNew: true, counts: counts() })
  await clock.advance(2_000)
  expect(written.at(-1)).toContain('time    2.0 s')
  progress.finish()
  const before = written.length
  await clock.advance(10_000)
  expect(written).toHaveLength(before)
})

test('erases all rows of the old lines after the screen became narrower, and fits the new ones', () => {
  const written: string[] = []
  const size = { columns: 60, redraw: () => {} }
  const paint = paintFor(false, () => size.columns)
  const terminal = terminalOn({
    out: text => void written.push(text),
    err: text => void written.push(text),
    isLive: true,
    rows: () => 10,
    paint: { out: paint, err: paint },
    onResize: redraw => (size.redraw = redraw),
  })
  terminal.repaint(() => ['x'.repeat(Math.min(50, size.columns - 1)), 'short'])
  size.columns = 30
  size.redraw()
  // The first line took two rows.
  expect(written.at(-1)).toBe(`${erased(3)}${'x'.repeat(29)}\nshort\n`)
})

test('prints no secret, not even as a part of an address', () => {
  const { terminal, written } = screen(false)
  terminal.mask(['sk 1234'])
  terminal.tell('bad key sk 1234 at http://h/?k=sk%201234')
  expect(written.join('')).toBe('bad key *** at http://h/?k=***\n')
})

test('without progress, only a note that the work waits for something outside is shown', () => {
  const told: string[] = []
  const progress = quietProgress({ tell: (line: string) => void told.push(line) } as unknown as Terminal)
  progress.emit({ type: 'note', text: 'a picture is converted' })
  progress.emit({ type: 'note', text: 'waiting for process 1', isUrgent: true })
  expect(told).toEqual(['note: waiting for process 1'])
})
