import { expect, test } from 'vitest'
import { incompleteRun, interruptedLine } from '../../../../../src/present/text/results/incomplete-run.js'
import { plain, shownText } from '../../../../../src/present/text/layout/paint.js'
import { counts, failed, someRun } from '../../../../support/report-data.js'

const show = (state: Parameters<typeof incompleteRun>[1]) => incompleteRun(someRun.name, state, plain)

test('prints failures by class and message, with the docs and both commands to continue', () => {
  const failures = [
    failed('17', 'rate_limited', 'gave up after 6 tries over 2 min'),
    failed('88', 'invalid_request', 'image larger than 20 MB'),
    failed('301', 'rate_limited', 'gave up after 6 tries over 2 min'),
  ]
  expect(show({ counts: counts({ answered: 897 }), failures })).toEqual([
    'run incomplete: 3 of 900 docs failed',
    '  2  rate_limited     gave up after 6 tries over 2 min   mmmu_val/17, mmmu_val/301',
    '  1  invalid_request  image larger than 20 MB            mmmu_val/88',
    'resume:  pipeline resume brave-otter-7f3a          also what was refused for good:  --retry-failed',
  ])
})

test('counts docs and requests separately: a doc with four choices has four requests', () => {
  const choices = [0, 1, 2].map(choice => ({ ...failed('1', 'server', '500'), choice }))
  const failures = [...choices, failed('2', 'server', '500')]
  const lines = show({ counts: counts({ docs: 5, docsByTask: [5], items: 17, answered: 13 }), failures })
  expect(lines[0]).toBe('run incomplete: 2 of 5 docs failed (4 of 17 requests)')
})

test('the resume line says that all failures are permanent', () => {
  const lines = show({ counts: counts(), failures: [failed('1', 'media', 'truncated PNG')] })
  expect(lines.at(-1)).toBe('resume:  pipeline resume brave-otter-7f3a --retry-failed')
})

test('docs without a request are reported as a problem of the task, which a retry cannot fix', () => {
  const item = failed('1', 'invalid_request', "mmmu_val/1: the task's code failed at utils.ts:9:12: boom")
  const unmade = { ...item, failure: { ...item.failure, attempts: 0 } }
  const mend = 'Fix the task and run the same command again. Valid answers are reused.'
  expect(show({ counts: counts(), failures: [unmade] })).toEqual([
    'run incomplete: 1 of 900 docs failed',
    "  1  task  the task's code failed at utils.ts:9:12: boom   mmmu_val/1",
    mend,
  ])
  expect(show({ counts: counts(), failures: [unmade, failed('2', 'media', 'truncated PNG')] }).slice(-2)).toEqual([
    'resume:  pipeline resume brave-otter-7f3a          also what was refused for good:  --retry-failed',
    `task:    ${mend}`,
  ])
})

test('counts docs without an answer or not read yet', () => {
  expect(show({ counts: counts({ pending: 12, inputFinished: false }), failures: [] })).toEqual([
    'run incomplete: 12 of 900 requests not answered yet · 900 docs read so far, not all',
    'resume:  pipeline resume brave-otter-7f3a',
  ])
})

test('prints nothing for a complete run', () => {
  expect(show({ counts: counts(), failures: [] })).toEqual([])
})

test("lists a few of many docs with their number, and keeps a server's message on one line", () => {
  const failures = Array.from({ length: 7 }, (_, index) => failed(String(index), 'server', 'Bad\n\u001b[31mGateway'))
  expect(shownText(show({ counts: counts(), failures })[1] ?? '')).toBe(
    '  7  server  Bad Gateway   mmmu_val/0, mmmu_val/1, mmmu_val/2, mmmu_val/3, mmmu_val/4, … and 2 more',
  )
})

test('prints a long message in full, with the docs below, because advice is at its end', () => {
  const said = `400 Unsupported parameter: ${'x'.repeat(60)}. (add omit=temperature to --model-args)`
  const failures = [failed('1', 'invalid_request', `${said} req_1`), failed('2', 'invalid_request', `${said} req_2`)]
  expect(show({ counts: counts(), failures: [...failures, failed('3', 'server', 'down')] }).slice(1, 4)).toEqual([
    `  2  invalid_request  ${said} req_1`,
    '                      mmmu_val/1, mmmu_val/2',
    '  1  server           down   mmmu_val/3',
  ])
})

test('messages that differ only in numbers are one reason, except for the status', () => {
  const failures = [
    failed('1', 'invalid_request', '400 prompt is too long: 208310 tokens > 200000 maximum'),
    failed('2', 'invalid_request', '400 prompt is too long: 311002 tokens > 200000 maximum'),
    failed('3', 'invalid_request', '413 prompt is too long: 311002 tokens > 200000 maximum'),
  ]
  expect(show({ counts: counts(), failures }).slice(1, 3)).toEqual([
    '  2  invalid_request  400 prompt is too long: 208310 tokens > 200000 maximum   mmmu_val/1, mmmu_val/2',
    '  1  invalid_request  413 prompt is too long: 311002 tokens > 200000 maximum   mmmu_val/3',
  ])
})

test('lists the most frequent of very many reasons, and counts the others', () => {
  const letters = Array.from('abcdefghijklmnopqrstuvwxyz')
  const failures = [...letters, 'z'].map(letter => failed(letter, 'server', `down ${letter}`))
  const lines = show({ counts: counts(), failures })
  expect(lines[1]).toBe('  2  server  down z   mmmu_val/z')
  expect(lines.at(-2)).toBe('  … and 6 for other reasons: pipeline report brave-otter-7f3a --samples failed')
  expect(lines).toHaveLength(23)
})

test('messages that differ only in the name of the doc are one reason', () => {
  const failures = ['3', '5'].map(doc => failed(doc, 'media', `mmmu_val/${doc}: no file`))
  expect(shownText(show({ counts: counts(), failures })[1] ?? '')).toBe('  2  media  no file   mmmu_val/3, mmmu_val/5')
})

test('an interruption says that all answers are kept', () => {
  expect(interruptedLine(someRun.name, counts({ answered: 612 }))).toBe(
    'interrupted: 612 of 900 answered, all kept.   resume:  pipeline resume brave-otter-7f3a',
  )
})

test('prints the reason of a stop, unless the exceeded limit says it already', () => {
  const waiting = { counts: counts({ pending: 12 }), failures: [] }
  const stopped = (why: 'failures', message: string) =>
    show({ ...waiting, stopped: { why, message } }).find(line => line.startsWith('Stopped'))
  expect(stopped('failures', '--fail-fast 2: the last was refused: no')).toBe(
    'Stopped by --fail-fast 2: the last was refused: no',
  )
  const over = { why: 'budget', limit: 'requests', message: '--max-requests 1: 1 were sent' } as const
  const failures = [failed('1', 'budget', over.message)]
  expect(show({ counts: counts({ failed: { budget: 1 } }), failures, stopped: over })).toEqual([
    'run incomplete: 1 of 900 docs failed',
    '  1  budget  --max-requests 1: 1 were sent   mmmu_val/1',
    'resume:  pipeline resume brave-otter-7f3a',
  ])
})

test('names the limit that stopped a judge even if all requests are answered', () => {
  const over = { why: 'budget', limit: 'dollars', message: '--max-cost 1: $1.00 spent' } as const
  expect(show({ counts: counts(), failures: [], stopped: over })).toEqual([
    'Stopped by --max-cost 1: $1.00 spent',
    'resume:  pipeline resume brave-otter-7f3a',
  ])
})

test('an access failure does not need --retry-failed', () => {
  const item = failed('1', 'invalid_request', '401 wrong key')
  const refused = { ...item, failure: { ...item.failure, attempts: 1, opensAgain: true } }
  expect(show({ counts: counts(), failures: [refused] }).at(-1)).toBe('resume:  pipeline resume brave-otter-7f3a')
})

test.each([
  [
    { about: 'key', said: '401 wrong', keyVariable: 'OPENAI_API_KEY', hasKey: false },
    'Stopped: the server refused the first three requests (401 wrong). Set OPENAI_API_KEY and run the same command again.',
  ],
  [
    { about: 'key', said: '401 wrong', keyVariable: 'OPENAI_API_KEY', hasKey: true },
    'Stopped: the server refused the first three requests (401 wrong). Check OPENAI_API_KEY or api_key= and run the same command again.',
  ],
  [
    { about: 'target', said: '404 no model m' },
    'Stopped: the server refused the first three requests (404 no model m). Fix model= or base_url= and run the same command again.',
  ],
  [
    { about: 'account', said: '429 no credit' },
    'Stopped: the account is used up (429 no credit). Run the same command again when it has credit.',
  ],
  [
    { about: 'connection', said: 'ECONNREFUSED (for 30 s)' },
    'Stopped: no server answers (ECONNREFUSED (for 30 s)). Start the server or fix base_url=, and run the same command again.',
  ],
] as const)('prints what to fix instead of the command that would repeat it: %o', (access, words) => {
  const stopped = { why: 'access', message: 'said with advice', access, refused: 3 } as const
  const lines = show({ counts: counts({ pending: 12 }), failures: [], stopped })
  expect(lines.slice(1)).toEqual([words])
})

test('prints the number of rejected requests if they did not stop the run', () => {
  const access = { about: 'target', said: '404 no model m' } as const
  const lines = (refused: number) =>
    show({ counts: counts({ pending: 1 }), failures: [], stopped: { why: 'access', message: '', access, refused } })
  expect(lines(1)[1]).toMatch(/^Stopped: the server refused the first request \(404/)
  expect(lines(2)[1]).toMatch(/^Stopped: the server refused the first two requests \(404/)
})
