import { expect, test } from 'vitest'
import { PipelineError } from '../../../../base/errors/errors.js'
import { option } from '../../../../base/errors/option-words.js'
import type { EvalOutcome } from '../../../../src/config/settings.js'
import { abortBecause, reasonOfError, reasonOfOutcome } from '../../../../src/evaluation/stopping/why-stopped.js'
import type { Stop } from '../../../../stages/model/budget/budget.js'
import { counts, failed, someRun } from '../../../support/report-data.js'

const never = new AbortController().signal
const hide = (text: string): string => text.replaceAll('sk-secret', '***')
const session = {
  hooks: { drain: never, stop: never },
  stages: { input: true, model: true, judge: true },
  hide,
}
const interruptedBy = (reason?: unknown) => ({
  ...session,
  hooks: { drain: AbortSignal.abort(reason), stop: never },
})

const outcome = (changes: Partial<EvalOutcome> = {}): EvalOutcome => ({
  run: someRun,
  isNew: true,
  counts: counts(),
  elapsedMs: 1,
  asked: 900,
  fromStore: 0,
  failures: [],
  unjudged: 0,
  judgement: { ref: 1, run: 1, number: 1, tasks: [], createdAt: 1, finishedAt: 2 },
  ...changes,
})
const short = { counts: counts({ answered: 600, pending: 300 }) }
const stopped = (stop: Partial<Stop>) => outcome({ ...short, stopped: { why: 'access', message: 'said', ...stop } })

test('a complete run has no reason, even after Ctrl-C with the last answer', () => {
  expect(reasonOfOutcome(outcome(), session)).toBeUndefined()
  expect(reasonOfOutcome(outcome(), interruptedBy())).toBeUndefined()
})

test.each<[string, Partial<Stop>, string, RegExp]>([
  [
    'time',
    { why: 'budget', limit: 'milliseconds', message: `${option('maxTime', '2 h')}: time is up` },
    'time',
    /maxTime: "2 h"/,
  ],
  ['money', { why: 'budget', limit: 'dollars', message: '$5 spent' }, 'budget', /\(\$5 spent\)\.$/],
  ['failures', { why: 'failures', message: 'the last was x' }, 'too_many_failures', /the last was x/],
  [
    'a key',
    { access: { about: 'key', said: '401 sk-secret', keyVariable: 'X_KEY', hasKey: true }, refused: 3 },
    'model_refused',
    /^The server refused the first 3 requests: 401 \*\*\*\. Check X_KEY\.$/,
  ],
  ['a model', { access: { about: 'target', said: '404' }, refused: 1 }, 'model_refused', /a request: 404\.$/],
  ['an account', { access: { about: 'account', said: 'no credit' } }, 'account_exhausted', /used up: no credit\.$/],
  ['a server', { access: { about: 'connection', said: 'ECONNREFUSED' } }, 'unreachable', /No server answered/],
  ['a long wait', { why: 'away', message: 'the server asks to wait 90 min' }, 'server_busy', /90 min\.$/],
])('%s has a code and a sentence', (_, stop, code, words) => {
  const reason = reasonOfOutcome(stopped(stop), session)
  expect(reason?.code).toBe(code)
  expect(reason?.message).toMatch(words)
})

test('an interruption says what caused it, if known', () => {
  expect(reasonOfOutcome(outcome(short), interruptedBy(abortBecause('its job was cancelled')))).toEqual({
    code: 'interrupted',
    message: 'It was interrupted: its job was cancelled.',
  })
  expect(reasonOfOutcome(outcome(short), interruptedBy())?.message).toBe('It was interrupted.')
})

test('distinguishes failures of single requests, missing scores and unsent requests', () => {
  const one = {
    failures: [failed('1', 'timeout', 'no answer')],
    counts: counts({ answered: 899, failed: { timeout: 1 } }),
  }
  expect(reasonOfOutcome(outcome(one), session)?.code).toBe('requests_failed')
  expect(reasonOfOutcome(outcome({ unjudged: 2 }), session)?.message).toMatch(/could not be scored/)
  expect(reasonOfOutcome(outcome(short), session)?.code).toBe('requests_left')
  expect(
    reasonOfOutcome(outcome(short), { ...session, stages: { input: true, model: false, judge: false } })?.code,
  ).toBe('docs_only')
})

test('reports an error by its first problem, on one line, without secrets and control characters', () => {
  const error = new PipelineError('dataset', [`docs.jsonl:7: sk-secret\n  is \u001b[31mno JSON`, 'another'])
  expect(reasonOfError(error, { ...session, isOfInput: true })).toEqual({
    code: 'input_error',
    message: 'docs.jsonl:7: *** is no JSON (and 1 more).',
  })
  expect(reasonOfError(error, { ...session, isOfInput: false }).code).toBe('failed')
  const full = new PipelineError('store', 'no space left', { reason: 'store-full' })
  expect(reasonOfError(full, { ...session, isOfInput: true }).code).toBe('store_full')
  expect(reasonOfError(new Error('oh'), { ...session, isOfInput: false }).message).toBe('Internal error: oh.')
  expect(reasonOfError(new Error('oh'), { ...interruptedBy(), isOfInput: false }).code).toBe('interrupted')
})
