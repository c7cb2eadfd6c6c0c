import { existsSync } from 'node:fs'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { root, runCli, startCli } from '../support/cli.js'
import { picture } from '../support/own-task.js'
import { isRunning } from '../support/processes.js'
import { hasPython, python } from '../support/python-pool.js'
import { committedAnswers, lookInto } from '../support/store-look.js'
import { temporaryFolder } from '../support/store.js'
import { waveOf } from '../support/wave.js'

interface Batch {
  readonly pid: number
  readonly kind: string
  readonly texts: readonly string[]
}

const task = (name: string, more: string): string =>
  `task: ${name}\ndataset_path: ./${name}.jsonl\ndoc_to_text: "{{question}}"\ndoc_to_target: answer\n${more}`
const matched = 'metric_list: [{metric: exact_match}]\n'

/** A folder with a task, a Python class and a store, and the requests that the class got. */
async function scene(name: string, docs: readonly object[], yaml: string) {
  const folder = await temporaryFolder()
  const store = join(folder, 'store')
  await copyFile(join(root, 'tests/fixtures/python-models/recorder.py'), join(folder, 'recorder.py'))
  await writeFile(join(folder, `${name}.jsonl`), docs.map(doc => JSON.stringify(doc)).join('\n'))
  await writeFile(join(folder, `${name}.yaml`), task(name, yaml))
  const gate = join(folder, 'gate')
  const line = (className: string, more = ''): string[] => [
    ...['eval', '--tasks', `./${name}.yaml`, '--store', store, '--model', 'python'],
    ...['--model-args', `file=./recorder.py,class=${className},log=${join(folder, 'log')},gate=${gate}${more}`],
  ]
  const options = { cwd: folder, env: { PIPELINE_PYTHON: python } }
  return {
    folder,
    store,
    gate,
    run: (className: string, more?: string) => runCli(line(className, more), options),
    start: (className: string, more?: string) => startCli(line(className, more), options),
    answers: () => [...committedAnswers(store).values()].sort(),
    batches: async (): Promise<readonly Batch[]> => {
      const file = join(folder, 'log')
      const text = existsSync(file) ? await readFile(file, 'utf8') : ''
      return text.split('\n').flatMap(row => (row === '' ? [] : [JSON.parse(row) as Batch]))
    },
  }
}

const questions = (count: number, special: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: count }, (_, index) => ({ question: `${special[index] ?? 'question'} ${index}`, answer: 'x' }))
const asked = (batches: readonly Batch[]): string[] => batches.flatMap(({ texts }) => texts).sort()

describe.skipIf(!hasPython())('a model class in Python (needs python3)', () => {
  test('is called in batches, and only a request whose process ends is sent again', async () => {
    const { run, batches, answers } = await scene('ends', questions(12, { 5: 'crash' }), matched)
    expect(await run('Chat', ',batch_size=4')).toMatchObject({ code: 0 })
    expect(answers()).toHaveLength(12)
    const all = await batches()
    expect(Math.max(...all.map(({ texts }) => texts.length))).toBe(4)
    const killed = all.find(({ texts }) => texts.includes('crash 5'))
    expect(killed?.texts).toHaveLength(4)
    // Only the requests of this batch are sent twice, each alone to a new process.
    const counts = (text: string) => all.filter(({ texts }) => texts.includes(text))
    for (const { question } of questions(12, { 5: 'crash' })) {
      const inKilled = killed?.texts.includes(question) === true
      expect(counts(question), question).toHaveLength(inKilled ? 2 : 1)
      if (inKilled) expect(counts(question)[1]).toMatchObject({ texts: [question] })
    }
    expect(new Set(all.map(({ pid }) => pid)).size).toBe(2)
  })

  test('sends no stored request again after the program was killed, and its process ends', async () => {
    const { store, gate, run, start, batches } = await scene('stays', questions(30, { 20: 'wait' }), matched)
    const { child, ended } = start('Simple', ',batch_size=2')
    while ((await batches()).every(({ texts }) => !texts.includes('wait 20')) || lookInto(store).responses < 10)
      await sleep(5)
    child.kill('SIGKILL')
    expect(await ended).toMatchObject({ signal: 'SIGKILL' })
    const stored = committedAnswers(store)
    const before = await batches()
    while (isRunning(before[0]?.pid ?? 0)) await sleep(5)

    await writeFile(gate, '')
    expect(await run('Simple', ',batch_size=2')).toMatchObject({ code: 0 })
    const after = (await batches()).slice(before.length)
    const texts = [...stored.values()].map(text => text.split(' [')[0])
    expect(asked(after)).toHaveLength(30 - stored.size)
    expect(asked(after).filter(text => texts.includes(text))).toEqual([])
    expect(committedAnswers(store).size).toBe(30)

    expect(await run('Simple', ',batch_size=3')).toMatchObject({ code: 0 })
    expect(await batches()).toHaveLength(before.length + after.length)
  })

  test('scores choices by log-likelihoods', async () => {
    const docs = questions(4).map(doc => ({ ...doc, answer: 1, colours: ['red', 'blue', 'green'] }))
    const yaml = 'output_type: multiple_choice\ndoc_to_choice: colours\nmetric_list: [{metric: acc}]\n'
    const { run, batches } = await scene('chosen', docs, yaml)
    const ended = await run('Chat', ',batch_size=5')
    expect(ended).toMatchObject({ code: 0 })
    expect(ended.stdout).toMatch(/acc\D+(1\b|100)/)
    const all = await batches()
    expect(new Set(all.map(({ kind }) => kind))).toEqual(new Set(['loglikelihood']))
    expect(asked(all)).toHaveLength(12)
    expect(asked(all)[0]).toBe('question 0 blue')
  })

  test.each(['Chat', 'Simple'])('%s gets a video as a path with its extension', async className => {
    const docs = [{ question: 'seen?', answer: 'x', video: 'clip.mp4' }]
    const { folder, run, answers } = await scene('seen', docs, `doc_to_visual: video\n${matched}`)
    const clip = await readFile(join(root, 'tests/fixtures/clip.mp4'))
    await writeFile(join(folder, 'clip.mp4'), clip)
    expect(await run(className)).toMatchObject({ code: 0 })
    expect(answers()[0]).toContain(`path .mp4 ${clip.length}`)
  })

  test.skipIf(hasPython('PIL'))(
    'without Pillow, a picture fails with the command that installs it (needs a Python without Pillow)',
    async () => {
      const docs = [{ question: 'seen?', answer: 'x', image: 'a.png' }]
      const { folder, run } = await scene('seen', docs, `doc_to_visual: image\n${matched}`)
      await writeFile(join(folder, 'a.png'), await picture(10))
      const ended = await run('Chat')
      expect(ended.stdout + ended.stderr).toContain('an image needs the package Pillow: pip install Pillow')
    },
  )
})

describe.skipIf(!hasPython('numpy'))('a model class in Python (needs python3 with numpy)', () => {
  test.each(['Chat', 'Simple'])('%s gets decoded audio', async className => {
    const docs = [{ question: 'heard?', answer: 'x', audio: 'a.wav' }]
    const { folder, run, answers } = await scene('heard', docs, `doc_to_visual: audio\n${matched}`)
    await writeFile(join(folder, 'a.wav'), waveOf([0, 0.5, -0.5, 0.25], 8000))
    expect(await run(className)).toMatchObject({ code: 0 })
    expect(answers()[0]).toContain('clip float32 4 at 8000')
  })
})

describe.skipIf(!hasPython('PIL'))('a model class in Python (needs python3 with Pillow)', () => {
  test.each(['Chat', 'Simple'])('%s gets images in RGB', async className => {
    const docs = [{ question: 'seen?', answer: 'x', image: 'a.png' }]
    const { folder, run, answers } = await scene('seen', docs, `doc_to_visual: image\n${matched}`)
    await writeFile(join(folder, 'a.png'), await picture(10))
    expect(await run(className)).toMatchObject({ code: 0 })
    expect(answers()[0]).toContain('RGB 8x8 (10, 10, 200)')
  })
})
