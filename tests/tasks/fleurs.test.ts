import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { transcriptErrors } from '../../stages/judge/helpers/transcripts.js'
import { builtinTask } from '../support/builtin-task.js'
import { testGoldenTask } from '../support/golden-task.js'
import { temporaryFolder } from '../support/store.js'

testGoldenTask('fleurs', { onlyAggregates: ['wer'] })

const doc = { audio: 'a.wav', transcription: '我哋 用網路 同 電腦。', language: 'Cantonese Chinese' }
const answers = ['我哋用网路同电脑', '我哋，用網絡 同 電腦！', '<|yue|>我地用网络和电脑', '', '計算機 A B c']

test('scores Cantonese by characters, like its transcripts', async () => {
  const { score, aggregates } = await builtinTask('fleurs_yue_hant_hk', { env: {} })
  const bodies = await Promise.all(answers.map(answer => score(doc, answer)))
  for (const [index, { values }] of bodies.entries()) {
    const { hits, substitutions, deletions, insertions } = values['wer'] as Readonly<Record<string, number>>
    const expected = transcriptErrors({ reference: doc.transcription, answer: answers[index]! }, 'cantonese')
    expect({ hits, substitutions, deletions, insertions }).toEqual(expected)
  }
  expect(aggregates(bodies)['wer']).toBeCloseTo((100 * (0 + 1 + 3 + 8 + 8)) / 40, 10)
})

test('with a table of zhconv, converts regional words on both sides', async () => {
  const table = join(await temporaryFolder(), 'zhcdict.json')
  await writeFile(
    table,
    JSON.stringify({ zh2Hans: { 網: '网', 電: '电', 腦: '脑', 絡: '络' }, zh2CN: { 網路: '网络' } }),
  )
  const { score } = await builtinTask('fleurs_yue_hant_hk', { env: { ZHCONV_TABLE: table } })
  for (const [answer, rate] of [
    ['我哋用網絡同電腦', 0],
    ['我哋用网路同电脑', 1 / 8],
  ] as const)
    expect((await score(doc, answer)).values['wer']).toMatchObject({ rate })
})
