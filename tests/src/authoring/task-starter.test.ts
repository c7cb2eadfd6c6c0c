import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { makeTaskScorer } from '../../../src/judging/scoring.js'
import { writeStarter } from '../../../src/authoring/task-starter.js'
import { tryTask } from '../../../src/authoring/task-trial.js'
import { loadTask } from '../../../stages/input/tasks/load-task.js'
import { temporaryFolder } from '../../stages/input/temp-folder.js'

const folder = temporaryFolder()
const options = () => ({ cacheDir: folder.path('cache') })

async function trialOf(file: string, docs: number) {
  const task = await loadTask(file, options())
  const scoring = task.scoring
  return tryTask(task, await makeTaskScorer(task.name, scoring, { ...options(), exported: [] }), docs)
}

test('a new task can be evaluated and distinguishes a perfect answer from a wrong one', async () => {
  const files = await writeStarter('gates', folder.path())
  expect(files.map(file => file.slice(folder.path('gates').length + 1))).toEqual([
    'gates.yaml',
    'utils.ts',
    'data/test.jsonl',
    'gates.test.mjs',
  ])
  const trial = await trialOf(folder.path('gates/gates.yaml'), 2)
  expect(trial.problems).toEqual([])
  expect(trial.docs.map(({ prompt }) => prompt)).toEqual([
    'What colour is a clear sky at noon?\nAnswer with one word.',
    'How many legs has a spider?\nAnswer with one word.',
  ])
  expect(trial.numbers).toEqual([{ metric: 'exact_match', perfect: 1, wrong: 0 }])
  expect(await readFile(folder.path('gates/gates.test.mjs'), 'utf8')).toContain('What colour is a clear sky at noon?')
})

test('a new task overwrites nothing, and rejects a name that is not a file name', async () => {
  await writeStarter('gates', folder.path())
  await expect(writeStarter('gates', folder.path())).rejects.toThrow('is there already')
  await expect(writeStarter('../gates', folder.path())).rejects.toThrow('a name is letters, digits')
})

test('tries options by their likelihood', async () => {
  await folder.write('d.jsonl', '{"q":"?","right":"B"}\n')
  const yaml =
    'task: t\ndataset_path: d.jsonl\noutput_type: multiple_choice\ndoc_to_text: q\ndoc_to_choice: [A, B]\ndoc_to_target: right\n'
  expect((await trialOf(await folder.write('t.yaml', yaml), 1)).numbers).toEqual([
    { metric: 'acc', perfect: 1, wrong: 0 },
    { metric: 'acc_norm', perfect: 1, wrong: 0 },
  ])
})

test('reports a scorer that gives right and wrong answers the same score, and a doc that cannot be rendered', async () => {
  await folder.write('utils.ts', 'export const score = () => ({ hit: 1 })\nexport const ask = doc => doc.q.trim()\n')
  await folder.write('d.jsonl', '{"q":"?","a":"x"}\n')
  const yaml =
    'task: t\ndataset_path: d.jsonl\ndoc_to_text: q\ndoc_to_target: a\nprocess_results: !function utils.score\nmetric_list: [{metric: hit, aggregation: mean}]\n'
  expect((await trialOf(await folder.write('t.yaml', yaml), 1)).problems).toEqual([
    expect.stringMatching(/t\.yaml:1:1 {2}t: no metric tells a perfect answer/),
  ])
  await folder.write('d.jsonl', '{"q":1,"a":"x"}\n')
  const asking = 'task: t\ndataset_path: d.jsonl\ndoc_to_text: !function utils.ask\ndoc_to_target: a\n'
  expect((await trialOf(await folder.write('t.yaml', asking), 1)).problems).toEqual([
    expect.stringMatching(
      /t\.yaml:1:1 {2}doc 0 of t: (the task's code failed at utils\.ts:2:\d+: )?doc\.q\.trim is not a function/,
    ),
  ])
})

test('reports a missing or broken picture, and not a good one', async () => {
  const png = await sharp({ create: { width: 4, height: 4, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  await folder.write('whole.png', png)
  await folder.write('broken.png', png.subarray(0, -20))
  const rows = ['whole.png', 'broken.png', 'none.png'].map(image => JSON.stringify({ q: '?', a: 'x', image }))
  await folder.write('d.jsonl', rows.join('\n'))
  const yaml = 'task: t\ndataset_path: d.jsonl\ndoc_to_visual: image\ndoc_to_text: q\ndoc_to_target: a\n'
  expect((await trialOf(await folder.write('t.yaml', yaml), 3)).problems).toEqual([
    expect.stringMatching(/doc 1 of t: broken\.png: the PNG image is cut short/),
    expect.stringMatching(/doc 2 of t: no file none\.png/),
  ])
})
