import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { builtinTask } from '../support/builtin-task.js'
import { testGoldenTask } from '../support/golden-task.js'
import { temporaryFolder } from '../support/store.js'

testGoldenTask('librispeech', { onlyAggregates: ['wer'] })

const heard = '我哋用網絡同電腦'

describe('with a table of zhconv, Cantonese is compared after conversion', () => {
  it.each([
    ['librispeech', { gt: '我哋用網路同電腦', task: 'asr_yue' }],
    ['fleurs_en', { transcription: '我哋用網路同電腦', language: 'Cantonese Chinese' }],
    ['common_voice_15_en', { sentence: '我哋用網路同電腦', locale: 'yue' }],
  ])('in %s', async (name, doc) => {
    const table = join(await temporaryFolder(), 'zhcdict.json')
    const words = { zh2Hans: { 網: '网', 電: '电', 腦: '脑', 絡: '络' }, zh2CN: { 網路: '网络' } }
    await writeFile(table, JSON.stringify(words))
    const [plain, placed] = [
      await builtinTask(name, { env: {} }),
      await builtinTask(name, { env: { ZHCONV_TABLE: table } }),
    ]
    const whole = { ...doc, audio: 'a.wav' }
    expect((await plain.score(whole, heard)).values['wer']).toMatchObject({ substitutions: 1, hits: 7 })
    expect((await placed.score(whole, heard)).values['wer']).toMatchObject({ substitutions: 0, hits: 8 })
  })
})
