import { describe, expect, test } from 'vitest'
import { describeArgs } from '../../../../stages/model/model-args.js'
import { findBackend } from '../../../../stages/model/registry.js'
import { revisedCodes } from '../../../support/built-in-code.js'
import { families, readCorpus, type Family, type Recorded } from '../../../support/corpus/families.js'
import type { Outcome } from '../../../support/corpus/replay.js'
import { changedCases, differing, isSame } from '../../../support/corpus/record.js'

/** Requests and replies that must stay as they are while a revision does (docs/decisions/code-in-keys.md). */
const leastCases = 200

test('every revision has a family of cases that was recorded at that revision', async () => {
  const revisions = (await revisedCodes()).map(({ revision }) => revision)
  expect(Object.keys(families).sort()).toEqual(revisions.map(({ name }) => name).sort())
  expect(
    Object.keys(families).map(name => readCorpus(name).revision),
    'Run `npm run code-revisions -- --add`, which records the cases of a raised revision.',
  ).toEqual(revisions)
})

describe.each(Object.entries(families))('%s', (name, family) => {
  test('has enough cases, most of which send something', () => {
    const { recorded } = readCorpus(name)
    const reached = recorded.filter(({ outcome }) => outcome.sent.length > 0 || outcome.answer !== undefined)
    expect(reached.length).toBeGreaterThanOrEqual(leastCases)
    expect(recorded.filter(({ outcome }) => outcome.answer !== undefined).length).toBeGreaterThanOrEqual(leastCases)
    expect(new Set(recorded.map(one => one.case.name)).size).toBe(recorded.length)
  })

  test('contains the cases that the script creates', async () => {
    const made = await family.cases()
    const held = readCorpus(name).recorded.map(one => one.case)
    // Replies that depend on the request are known only when they were recorded.
    const comparable = made.map((one, index) => ({
      ...one,
      replies: typeof one.replies === 'function' ? held[index]?.replies : one.replies,
    }))
    expect(held, 'Run `npm run code-revisions -- --record`, which adds new cases.').toEqual(comparable)
  })

  test('varies every argument that affects output', async () => {
    expect(await unvaried(name, family)).toEqual([])
  })

  test('sends the same bytes and reads the same answers', async () => {
    expect(
      await changedCases(name),
      'These cases send or read something else now. If that is meant, raise the number of the revision.',
    ).toEqual([])
  })
})

test('one byte, header or field counts as a change, the last digits of a logarithm do not', () => {
  const sent = [{ method: 'POST', path: '/v1/x', headers: { accept: 'application/json' }, body: '{"temperature":0}' }]
  const body = { text: '', finishReason: 'stop', logprob: -1.5 } as const
  const outcome = { sent, answer: { body, usage: { inputTokens: 3 } } }
  const changed = [
    { ...outcome, sent: [{ ...sent[0]!, body: '{"temperature":1}' }] },
    { ...outcome, sent: [{ ...sent[0]!, headers: {} }] },
    { ...outcome, sent: [...sent, ...sent] },
    { ...outcome, answer: { ...outcome.answer, body: { ...body, finishReason: 'length' } } },
    { ...outcome, answer: { ...outcome.answer, body: { ...body, logprob: -1.51 } } },
    { ...outcome, answer: { body } },
    { sent, failure: 'server, to be tried again' },
  ] as const
  expect(changed.filter(other => isSame(outcome, other))).toEqual([])
  expect(isSame(outcome, { ...outcome, answer: { ...outcome.answer, body: { ...body, logprob: -1.5001 } } })).toBe(true)
})

test('a tenth of the answers of 8-bit networks may differ, because processors differ', () => {
  const said = (text: string): Outcome => ({ sent: [], answer: { body: { text, finishReason: 'stop' } } })
  const made = (index: number, dtype: string): Recorded => {
    const input = { type: 'generate_until', messages: [] } as const
    const asked = {
      name: `${dtype} ${index}`,
      backend: 'onnx_vlm',
      args: { dtype },
      input,
      generation: {},
      replies: [],
    }
    return { case: asked, outcome: said('yes') }
  }
  const recorded = Array.from({ length: 20 }, (_, index) => made(index, index < 10 ? 'int8' : 'fp32'))
  const other = (...changed: readonly number[]) =>
    recorded.map((_, index) => said(changed.includes(index) ? 'no' : 'yes'))
  expect(differing(recorded, other(3))).toEqual([])
  expect(differing(recorded, other(3, 4))).toEqual(['int8 3', 'int8 4'])
  expect(differing(recorded, other(3, 12))).toEqual(['fp32 12'])
})

/** Arguments of the family's backends that have the same value in all of its cases. */
async function unvaried(name: string, { backends, idle = {} }: Family): Promise<readonly string[]> {
  const cases = readCorpus(name).recorded.map(one => one.case)
  const found = backends.map(async id => {
    const backend = await findBackend(id, [])
    // `base_url` is the address of the stand-in server.
    const affecting = describeArgs(backend).filter(({ effect, name: arg }) => effect === 'output' && arg !== 'base_url')
    return affecting.flatMap(({ name: arg }) => {
      const values = new Set(cases.filter(one => one.backend === id).map(({ args }) => JSON.stringify(args[arg])))
      return values.size > 1 || Object.hasOwn(idle, arg) ? [] : [`${id}: ${arg}`]
    })
  })
  return (await Promise.all(found)).flat()
}
