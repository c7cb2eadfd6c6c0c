import { unjudgedLines } from '../../../../src/present/text/results/unjudged-lines.js'
import { expect, test } from 'vitest'
import type { Judgement, ScoreBody } from '../../../../cache/records.js'
import type { PlacedScore } from '../../../../cache/store.js'
import { plain } from '../../../../src/present/text/layout/paint.js'
import { unjudgedDocs } from '../../../../src/reading/samples/unjudged-docs.js'
import { noJudgeReason } from '../../../../stages/judge/define/judge-model.js'
import { someRun } from '../../../support/report-data.js'

const judgement: Judgement = { ref: 1, run: 1, number: 1, createdAt: 0, tasks: [] }

async function linesOf(...bodies: readonly Pick<ScoreBody, 'outcome' | 'reason'>[]): Promise<readonly string[]> {
  const store = {
    async *scores(): AsyncGenerator<PlacedScore> {
      yield* await Promise.resolve(
        bodies.map((body, index) => ({ task: 0, index, body: { values: {}, extracted: {}, ...body } })),
      )
    },
  }
  return unjudgedLines(await unjudgedDocs({ judgements: store }, someRun, judgement), someRun.name, plain)
}

const unnamed = { outcome: 'judge_failed', reason: noJudgeReason } as const

test('counts docs without a score by task and reason, the most frequent first', async () => {
  const broken = { outcome: 'error', reason: 'field "answer"\nis missing' } as const
  expect(await linesOf({ outcome: 'scored' }, broken, unnamed, unnamed)).toEqual([
    'not judged: 3 docs without a score',
    '  2  judge_failed  no judge model is named (--judge-model, --judge-args)   shapes_vqa',
    '  1  error         field "answer" is missing   shapes_vqa',
    'see them:  pipeline report brave-otter-7f3a --samples failed',
  ])
})

test('shows the advice at the end of a long reason', async () => {
  const reason = `the judge model: server: ${'x'.repeat(120)}: is the server running?`
  expect((await linesOf({ outcome: 'judge_failed', reason }))[1]).toContain('is the server running?')
})

test('names the first of many reasons', async () => {
  const lines = await linesOf(...Array.from({ length: 7 }, (_, n) => ({ ...unnamed, reason: `said ${n}` })))
  expect(lines).toHaveLength(8)
  expect(lines.at(-2)).toBe('  … and 2 other reasons')
})

test('prints nothing if all docs have a score', async () => {
  expect(await linesOf({ outcome: 'scored' }, { outcome: 'unparsed', reason: 'no letter' })).toEqual([])
})
