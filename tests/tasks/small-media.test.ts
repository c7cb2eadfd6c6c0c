/** The small tasks whose data are in the project, and BLiMP, whose form they share. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sha256 } from '../../cache/digest.js'
import { evaluate } from '../../src/index.js'
import { builtinTask } from '../support/builtin-task.js'
import { temporaryFolder } from '../support/store.js'

const folder = join(import.meta.dirname, '../../tasks/small_media/data')

test('the data match the listed checksums', async () => {
  const listed = (await readFile(join(folder, 'SHA256SUMS'), 'utf8')).trim().split('\n')
  const found = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isFile() && entry.name !== 'SHA256SUMS')
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
  expect(listed.map(line => line.split('  ')[1])).toEqual(found.toSorted())
  for (const line of listed) {
    const [digest, name = ''] = line.split('  ')
    expect(sha256(await readFile(join(folder, name))), name).toBe(`sha256:${digest}`)
  }
})

test('each task can be evaluated, and its own targets score as right', async () => {
  const tasks = ['ocr_words', 'digits', 'zero_shot_classes', 'asr_prompts', 'speech_or_not'] as const
  const run = await evaluate({
    ...{ store: join(await temporaryFolder(), 'store'), tasks, limit: 12 },
    ...{ model: 'dummy', modelArgs: { mode: 'target' } },
  })
  expect(run.failures).toEqual([])
  const values = Object.fromEntries(
    tasks.map(task => [task, Object.values(run.of(task).metrics).map(({ value }) => value)]),
  )
  expect(values).toEqual({
    ocr_words: [0, 1],
    digits: [1],
    zero_shot_classes: [1],
    asr_prompts: [0, 0],
    speech_or_not: [1, 1],
  })
})

test('a pair of BLiMP has its sentences as choices, and the acceptable one as target', async () => {
  const { task, target } = await builtinTask('blimp_principle_A_case_1')
  const doc = {
    sentence_good: 'The girl thinks that she hurt herself.',
    sentence_bad: 'The girl thinks that herself hurt her.',
  }
  expect(target(doc)).toBe(0)
  expect(task.config).toMatchObject({ dataset_path: 'nyu-mll/blimp', dataset_name: 'principle_A_case_1' })
})
