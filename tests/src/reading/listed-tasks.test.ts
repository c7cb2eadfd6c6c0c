import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { addSummaries, findBenchmark, listNames, readTaskKeys } from '../../../src/reading/tasks/listed-tasks.js'
import { indexTasks } from '../../../stages/input/tasks/finding/task-index.js'
import { temporaryFolder } from '../../support/store.js'

it('lists tasks and groups with what their files tell, and leaves a task whose file is gone without facts', async () => {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'animals'))
  const task = (name: string, more: string): Promise<void> =>
    writeFile(join(folder, `animals/${name}.yaml`), `task: ${name}\n${more}`)
  await task('cats', 'dataset_path: org/cats\ndoc_to_visual: image\nmetric_list: [{metric: exact_match}]\n')
  await task('dogs', 'dataset_path: org/dogs\n')
  await writeFile(join(folder, 'animals/_all.yaml'), 'group: all_animals\ntask: [cats, dogs]\n')
  const index = indexTasks([folder])
  await rm(join(folder, 'animals/dogs.yaml'))
  const names = listNames(index)
  expect(names.map(({ name, kind }) => [name, kind])).toContainEqual(['cats', 'task'])
  const rows = await addSummaries(names, await readTaskKeys(index, ['cats', 'dogs']), undefined)
  expect(rows.find(({ name }) => name === 'cats')).toMatchObject({
    docs: null,
    modality: 'image',
    metrics: ['exact_match'],
    source: 'org/cats',
  })
  expect(rows.find(({ name }) => name === 'dogs')).not.toHaveProperty('modality')
})

it.each([
  ['/t/mmmu/mmmu_val.yaml', 'mmmu'],
  ['/t/mmmu/deep/mmmu_val.yaml', 'mmmu'],
  ['/u/own/task.yaml', 'own'],
  ['/t/alone.yaml', undefined],
  ['/elsewhere/a/b.yaml', undefined],
])('the benchmark of %s is %s', (file, benchmark) => {
  expect(findBenchmark(file, ['/t', '/u'])).toBe(benchmark)
})
