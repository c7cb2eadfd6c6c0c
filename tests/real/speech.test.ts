/** Whisper tiny.en, computed by `@huggingface/transformers`, writes down speech: as the evaluated model, and as the recogniser of spoken answers. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { runCli } from '../support/cli.js'
import { completion, startFakeOpenai } from '../support/fake-openai.js'
import { hasFfmpeg } from '../support/framed-videos.js'
import { writeWhisperFolder } from '../support/local-models/whisper-folder.js'
import { results } from '../support/own-task.js'
import { temporaryFolder } from '../support/store.js'
import { findTestData } from '../support/test-data.js'
import { silentWav } from '../support/wav.js'

const real = inject('transformersJs')
const data = findTestData('whisper-tiny-en-onnx')
const missing = 'missing' in real ? real.missing : (data.missing ?? (hasFfmpeg ? undefined : 'ffmpeg'))
const title = missing === undefined ? 'Whisper' : `Whisper (skipped: there is no ${missing})`
const env = 'missing' in real ? {} : { NODE_PATH: real.modules }
const prompts = join(import.meta.dirname, '../../tasks/small_media/data')

describe.skipIf(missing !== undefined)(title, () => {
  let whisper = ''
  beforeAll(async () => {
    whisper = join(await mkdtemp(join(tmpdir(), 'pipeline-test-')), 'whisper-tiny.en')
    if (data.missing === undefined) await writeWhisperFolder(data.path, whisper)
  })
  afterAll(() => rm(join(whisper, '..'), { recursive: true, force: true }))

  test('transcribes prompts with the known error rate', async () => {
    const store = join(await temporaryFolder(), 'store')
    const ended = await runCli(
      [
        'eval',
        '--tasks',
        'asr_prompts',
        '--limit',
        '6',
        '--json',
        '--store',
        store,
        '--model',
        'transformers_js',
      ].concat('--model-args', `model=${whisper},workers=1`),
      { env },
    )
    expect(ended.stderr).toContain('failed 0')
    expect(results(ended).tasks['asr_prompts']).toMatchObject({ wer: { value: 0, n: 6 }, cer: { value: 0, n: 6 } })
  })

  test('works as the recogniser of spoken answers, whose transcripts are stored', async () => {
    const folder = await temporaryFolder()
    const spoken = (await readFile(join(prompts, 'prompts.jsonl'), 'utf8'))
      .trim()
      .split('\n')
      .slice(0, 3)
      .map(line => JSON.parse(line) as { id: string; audio: string; text: string })
    await mkdir(join(folder, 'spoken'))
    // The last answer differs from its target, and another one is silent.
    const docs = spoken.map(({ id, text }, at) => ({ id, text: at === 2 ? `${text} please` : text }))
    await writeFile(
      join(folder, 'spoken/docs.jsonl'),
      [...docs, { id: 'silent', text: 'nothing to hear' }].map(doc => JSON.stringify(doc)).join('\n'),
    )
    const writeTask = (normalizer: string) =>
      writeFile(
        join(folder, 'spoken/spoken.yaml'),
        `task: spoken\ndataset_path: ./docs.jsonl\ndoc_to_text: "Say {{id}}"\ndoc_to_target: text\nmetric_list: [{metric: asr_wer, normalizer: ${normalizer}}]\n`,
      )
    await writeTask('whisper_english')
    const sounds = new Map(
      await Promise.all(spoken.map(async ({ id, audio }) => [id, await readFile(join(prompts, audio))] as const)),
    )
    const model = await startFakeOpenai({
      answer: ({ text }) => {
        const id = [...sounds.keys()].find(name => text.includes(name)) ?? ''
        const sound = sounds.get(id) ?? silentWav(8_000)
        return completion(null, 'stop', { audio: { data: sound.toString('base64'), transcript: 'x' } })
      },
      keepBodies: true,
    })
    onTestFinished(() => model.close())
    const run = (...args: readonly string[]) => runCli([...args, '--json'], { cwd: folder, env })
    const asking = ['--model', 'openai', '--model-args', `model=m,base_url=${model.url},api_key=k`]
    const recogniser = ['--judge-for', `spoken.asr_wer=transformers_js,model=${whisper},workers=1`]
    const first = await run('eval', '--tasks', './spoken', ...asking, ...recogniser)
    expect(first.code).toBe(0)
    // Each of the two other docs lacks the words that were not spoken.
    const words = docs.flatMap(({ text }) => text.split(' ')).length + 3
    const rate = results(first).tasks['spoken']?.['asr_wer']
    expect(rate).toMatchObject({ n: 4, judges: ['transformers_js'] })
    expect(rate?.value).toBeCloseTo(4 / words, 6)
    expect(model.stats().requests).toBe(4)

    // Other rules score the transcripts of the store.
    await writeTask('whisper_basic')
    const again = await run('judge', 'last', ...recogniser)
    expect(again.stderr).toContain('0 asked, 4 from the store')
    expect(results(again).tasks['spoken']?.['asr_wer']?.value).toBe(rate?.value)
    expect((await run('report', 'last', '--samples', 'all')).stdout).toContain('"transcript"')
  })
})
