import { expect, test } from 'vitest'
import { indexTasks } from '../../../../stages/input/tasks/task-index.js'
import { resolveTasks } from '../../../../stages/input/tasks/resolve-tasks.js'
import type { StageEvent } from '../../../../cache/events.js'
import { temporaryFolder } from '../temp-folder.js'

const folder = temporaryFolder()
const yaml = (name: string): string => `task: ${name}\ndataset_path: d.jsonl\ndoc_to_text: q\ndoc_to_target: a\n`

async function resolve(names: readonly string[], includePaths: readonly string[] = []) {
  const events: StageEvent[] = []
  const options = { includePaths, cacheDir: folder.path('cache'), emit: (event: StageEvent) => void events.push(event) }
  return { tasks: (await resolveTasks(names, options)).map(task => task.name), events }
}

test('a built-in task is found by name, by pattern and by tag', async () => {
  expect((await resolve(['shapes_vqa'])).tasks).toEqual(['shapes_vqa'])
  expect((await resolve(['shapes_vqa_*', 'shapes_vqa'])).tasks).toEqual([
    'shapes_vqa_choice',
    'shapes_vqa_letter',
    'shapes_vqa',
  ])
  expect((await resolve(['shapes'])).tasks).toEqual(['shapes_vqa', 'shapes_vqa_choice', 'shapes_vqa_letter'])
})

test('a folder and a file are taken as they are', async () => {
  const file = await folder.write('set/one.yaml', yaml('one'))
  await folder.write('set/deep/two.yaml', yaml('two'))
  await folder.write('set/_template', 'repeats: 1\n')
  expect((await resolve([folder.path('set')])).tasks).toEqual(['two', 'one'])
  expect((await resolve([file])).tasks).toEqual(['one'])
})

test('all unknown names are told at once, with the nearest', async () => {
  await expect(resolve(['shapes_vqe', 'zzzzzzzz', './nowhere'])).rejects.toThrow(/no task file or folder \.\/nowhere/)
  await expect(resolve(['shapes_vqe', 'zzzzzzzz'])).rejects.toThrow(
    'no task "shapes_vqe". Did you mean "shapes_vqa"?   (pipeline tasks list)\nno task "zzzzzzzz".   (pipeline tasks list)',
  )
})

test("a user's own name wins over a built-in one, with a note", async () => {
  await folder.write('own/mine.yaml', yaml('shapes_vqa'))
  const { events } = await resolve(['shapes_vqa'], [folder.path('own')])
  expect(events).toEqual([
    {
      type: 'note',
      text: expect.stringMatching(/^task "shapes_vqa" is .*own\/mine\.yaml, not tasks\/shapes_vqa/) as string,
    },
  ])
})

test('a name that one folder has twice is refused with both files', async () => {
  await folder.write('own/a.yaml', yaml('same'))
  await folder.write('own/b.yaml', yaml('same'))
  await expect(indexTasks([folder.path('own')])).rejects.toThrow(/task "same" is in two files: .*a\.yaml and .*b\.yaml/)
})

test('a list of tasks under a name is a group', async () => {
  await folder.write('own/a.yaml', yaml('a'))
  await folder.write('own/b.yaml', yaml('b'))
  await folder.write('own/both.yaml', 'group: both\ntask:\n  - b\n  - a\n')
  expect((await resolve(['both'], [folder.path('own')])).tasks).toEqual(['b', 'a'])
})

test('indexing does not look into tasks that nobody asked for', async () => {
  await folder.write('own/broken.yaml', 'task: broken\nnonsense: [1, 2\n')
  await folder.write('own/fine.yaml', yaml('fine'))
  expect((await resolve(['fine'], [folder.path('own')])).tasks).toEqual(['fine'])
})
