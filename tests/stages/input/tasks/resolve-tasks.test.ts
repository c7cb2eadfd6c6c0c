import { expect, test } from 'vitest'
import { indexTasks } from '../../../../stages/input/tasks/finding/task-index.js'
import { resolveSelection, resolveTasks } from '../../../../stages/input/tasks/resolve-tasks.js'
import type { StageEvent } from '../../../../cache/events.js'
import { temporaryFolder } from '../temp-folder.js'

const folder = temporaryFolder()
const yaml = (name: string): string => `task: ${name}\ndataset_path: d.jsonl\ndoc_to_text: q\ndoc_to_target: a\n`

async function resolve(names: readonly string[], includePaths: readonly string[] = []) {
  const events: StageEvent[] = []
  const options = { includePaths, cacheDir: folder.path('cache'), emit: (event: StageEvent) => void events.push(event) }
  return { tasks: (await resolveTasks(names, options)).map(task => task.name), events }
}

test('finds a built-in task by name, pattern and tag', async () => {
  expect((await resolve(['shapes_vqa'])).tasks).toEqual(['shapes_vqa'])
  expect((await resolve(['shapes_vqa_*', 'shapes_vqa'])).tasks).toEqual([
    'shapes_vqa_choice',
    'shapes_vqa_letter',
    'shapes_vqa',
  ])
  expect((await resolve(['shapes'])).tasks).toEqual(['shapes_vqa', 'shapes_vqa_choice', 'shapes_vqa_letter'])
})

test('accepts a folder and a file as paths', async () => {
  const file = await folder.write('set/one.yaml', yaml('one'))
  await folder.write('set/deep/two.yaml', yaml('two'))
  await folder.write('set/_template', 'repeats: 1\n')
  expect((await resolve([folder.path('set')])).tasks).toEqual(['two', 'one'])
  expect((await resolve([file])).tasks).toEqual(['one'])
})

test('reports all unknown names at once, with the nearest name', async () => {
  await expect(resolve(['./nowhere', 'shapes_vqe', 'none.yaml'])).rejects.toThrow(
    'no task file or folder ./nowhere\nno task "shapes_vqe". Did you mean "shapes_vqa"?   (pipeline tasks list)\nno task file or folder none.yaml',
  )
  await expect(resolve(['shapes_vqe', './nowhere'])).rejects.toMatchObject({
    reason: 'task-unknown',
    data: { names: ['shapes_vqe', './nowhere'] },
  })
  await expect(resolve(['shapes_vqe', 'zzzzzzzz'])).rejects.toThrow(
    'no task "shapes_vqe". Did you mean "shapes_vqa"?   (pipeline tasks list)\nno task "zzzzzzzz". Tasks of lmms-eval are read from its folder: includePaths: "DIR/lmms_eval/tasks", where DIR is a checkout of github.com/EvolvingLMMs-Lab/lmms-eval, or the unpacked package lmms-eval of PyPI   (pipeline tasks list)',
  )
})

test("a user's task overrides a built-in one of the same name, with a note", async () => {
  await folder.write('own/mine.yaml', yaml('shapes_vqa'))
  const { events } = await resolve(['shapes_vqa'], [folder.path('own')])
  expect(events).toEqual([
    {
      type: 'note',
      text: expect.stringMatching(/^task "shapes_vqa" is .*own\/mine\.yaml, not tasks\/shapes_vqa/) as string,
    },
  ])
})

test('lists a few of many overriding names, with their number', async () => {
  for (const name of 'abcdefg') await folder.write(`first/${name}.yaml`, yaml(name))
  for (const name of 'abcdefg') await folder.write(`second/${name}.yaml`, yaml(name))
  const { notes, tasks } = indexTasks([folder.path('first'), folder.path('second')])
  expect(notes).toEqual([
    expect.stringMatching(
      /^7 tasks and groups are those of .*second, not the ones of these names before: a, b, c, d, e and 2 more$/,
    ) as string,
  ])
  expect(tasks.get('g')).toBe(folder.path('second/g.yaml'))
})

test('rejects a code file that exports no task', async () => {
  const file = await folder.write('code/utils.ts', 'export const ask = () => ({ a: `b` })\n')
  await expect(resolve([file])).rejects.toThrow(
    'utils.ts exports no task (it exports ask). Export what defineTask({ … }) returns, or name the YAML file that this code belongs to',
  )
})

test('rejects a name that one folder has twice when it is selected, and names both files', async () => {
  await folder.write('own/a.yaml', yaml('same'))
  await folder.write('own/b.yaml', `"task": "same"\ndataset_path: d.jsonl\ndoc_to_text: q\ndoc_to_target: a\n`)
  await folder.write('own/c.yaml', yaml('fine'))
  await folder.write('own/g.yaml', 'group: both\ntask: [fine, same]\n')
  await folder.write('own/h.yaml', 'group: changed\ntask: [{task: same, repeats: 2}]\n')
  const own = [folder.path('own')]
  const twice = /b\.yaml:1:9 {2}task "same" is in two files: .*a\.yaml and .*b\.yaml\. Rename one\./
  expect((await resolve(['fine'], own)).tasks).toEqual(['fine'])
  expect((await resolve(['fi?e'], own)).tasks).toEqual(['fine'])
  expect((await resolve([folder.path('own/c.yaml')])).tasks).toEqual(['fine'])
  for (const asked of ['same', 's*', 'both', 'changed', folder.path('own')])
    await expect(resolve([asked], own)).rejects.toThrow(twice)
  expect([...indexTasks(own).ambiguous.keys()]).toEqual(['same'])
})

test('a folder given by path is evaluated as written, not as the built-in task of the same name', async () => {
  const own = (name: string) =>
    `{"task": "${name}", "dataset_path": "d.jsonl", "doc_to_text": "q", "doc_to_target": "a"}`
  await folder.write('quoted/mine.yaml', own('shapes_vqa'))
  await folder.write('quoted/all.yaml', 'group: all_of_mine\ntask: [shapes_vqa]\n')
  const options = { cacheDir: folder.path('cache'), emit: () => undefined }
  for (const asked of [folder.path('quoted'), folder.path('quoted/all.yaml')]) {
    const { tasks } = await resolveSelection([asked], options)
    expect(tasks.map(({ name, file }) => [name, file])).toEqual([['shapes_vqa', folder.path('quoted/mine.yaml')]])
  }
})

test('a list of tasks with a name is a group', async () => {
  await folder.write('own/a.yaml', yaml('a'))
  await folder.write('own/b.yaml', yaml('b'))
  await folder.write('own/both.yaml', 'group: both\ntask:\n  - b\n  - a\n')
  expect((await resolve(['both'], [folder.path('own')])).tasks).toEqual(['b', 'a'])
})

test('does not read tasks that were not selected', async () => {
  await folder.write('own/broken.yaml', 'task: broken\nnonsense: [1, 2\n')
  await folder.write('own/fine.yaml', yaml('fine'))
  expect((await resolve(['fine'], [folder.path('own')])).tasks).toEqual(['fine'])
})

const inGroup = async (group: string) => {
  await folder.write('own/a.yaml', `${yaml('a')}repeats: 1\n`)
  await folder.write('own/b.yaml', `${yaml('b')}tag: letters\n`)
  await folder.write('own/g.yaml', group)
  return resolveSelection(['g'], {
    includePaths: [folder.path('own')],
    cacheDir: folder.path('cache'),
    emit: () => undefined,
  })
}

test('group keys override task keys, outer groups override inner ones, and a name may appear twice', async () => {
  const { tasks, groups } = await inGroup(
    'group: g\nrepeats: 3\ntask:\n  - group: inner\n    repeats: 2\n    num_fewshot: 1\n    task: [letters]\n  - {task: a, num_fewshot: 4, repeats: 9}\n  - {task: a}\n  - {task: fresh, dataset_path: d.jsonl, doc_to_text: q, doc_to_target: a}\n',
  )
  expect(tasks.map(({ name, config }) => [name, config.repeats, config.num_fewshot])).toEqual([
    ['b', 3, 1],
    ['a', 3, 4],
    ['a-1', 3, undefined],
    ['fresh', 3, undefined],
  ])
  expect(groups.map(({ name, members }) => [name, members])).toEqual([
    ['g', ['inner', 'a', 'a-1', 'fresh']],
    ['inner', ['b']],
  ])
})

test('a group may contain a task unchanged and with keys of its own, in any order', async () => {
  await folder.write('both/a.yaml', yaml('a'))
  await folder.write('both/g.yaml', 'group: g\ntask: [{task: a, repeats: 2}, a, {task: a, repeats: 3}]\n')
  await folder.write('both/h.yaml', 'group: h\ntask:\n  - a\n  - task: a\n    repeats: 2\n')
  expect((await resolve([folder.path('both/g.yaml')])).tasks).toEqual(['a-1', 'a', 'a-2'])
  expect((await resolve([folder.path('both/h.yaml')])).tasks).toEqual(['a', 'a-1'])
})

test('reports all mistakes in a group at once, with their positions', async () => {
  const group = 'group: g\nagregate_metric_list: []\ntask: [a, bb]\n'
  await expect(inGroup(group)).rejects.toThrow(
    /g\.yaml:2:1 {2}agregate_metric_list: no such key\. Did you mean "aggregate_metric_list"\?/,
  )
  await expect(inGroup('group: g\ntask: [a, bb, {task: cc, repeats: 2}]\n')).rejects.toThrow(
    /g\.yaml:2:11 {2}task: no task "bb"\..*\n.*g\.yaml:2:15 {2}task: no task "cc"\./,
  )
  await expect(
    inGroup('group: g\ntask: [a]\naggregate_metric_list: [{metric: acc, aggregation: median, filter: x}]\n'),
  ).rejects.toThrow(/g\.yaml:3:\d+ {2}aggregate_metric_list\.0\.filter: no such key/)
  const numbers = (...filters: string[]) => filters.map(filter => `  - {metric: acc, ${filter}}\n`).join('')
  const doubled = (...filters: string[]) =>
    inGroup(`group: g\ntask: [a]\naggregate_metric_list:\n${numbers(...filters)}`)
  await expect(doubled('weight_by_size: true', 'weight_by_size: false')).rejects.toThrow(
    /g\.yaml:5:5 {2}aggregate_metric_list\.1: a number of this metric after these filters is there already/,
  )
  await expect(doubled('filter_list: [x, y]', 'filter_list: z', 'filter_list: y')).rejects.toThrow(
    'aggregate_metric_list.2: a number of this metric',
  )
  await doubled('filter_list: x', 'filter_list: y')
  await expect(inGroup('group: g\ntask: [a, {task: g}]\n')).rejects.toThrow('task: goes in a circle: g → g')
  await expect(inGroup('group: g\ntask: [a]\nrepeats: often\n')).rejects.toThrow(/g\.yaml:3:10 {2}repeats: expected/)
})

test('rejects a task selected in two variants, and a pattern uses the variant of its group', async () => {
  const options = { includePaths: [folder.path('own')], cacheDir: folder.path('cache'), emit: () => undefined }
  await inGroup('group: ab\nrepeats: 2\ntask: [a, b]\n').catch(() => undefined)
  await expect(resolveSelection(['a', 'ab'], options)).rejects.toThrow(/task "a" is named twice, in two forms/)
  const { tasks } = await resolveSelection(['[ab]*'], options)
  expect(tasks.filter(({ name }) => name.length === 1).map(({ name, config }) => [name, config.repeats])).toEqual([
    ['a', 2],
    ['b', 2],
  ])
})

test('distinguishes nested groups with the same name if their parents are selected together', async () => {
  const options = { includePaths: [folder.path('own')], cacheDir: folder.path('cache'), emit: () => undefined }
  for (const name of 'ab') await folder.write(`own/${name}.yaml`, yaml(name))
  await folder.write('own/one.yaml', 'group: one\ntask:\n  - {group: stem, task: [a]}\n  - {group: rest, task: [b]}\n')
  await folder.write('own/two.yaml', 'group: two\ntask:\n  - {group: stem, group_alias: Stem, task: [b]}\n')
  const named = async (...names: string[]) =>
    (await resolveSelection(names, options)).groups.map(({ name, alias, members }) => [name, alias, members])
  expect(await named('one')).toEqual([
    ['one', undefined, ['stem', 'rest']],
    ['stem', undefined, ['a']],
    ['rest', undefined, ['b']],
  ])
  expect(await named('one', 'two')).toEqual([
    ['one', undefined, ['one/stem', 'rest']],
    ['one/stem', 'stem', ['a']],
    ['rest', undefined, ['b']],
    ['two', undefined, ['two/stem']],
    ['two/stem', 'Stem', ['b']],
  ])
  await folder.write('own/one.yaml', 'group: one\ntask:\n  - {group: stem, task: [a]}\n  - {group: stem, task: [b]}\n')
  await expect(named('one')).rejects.toThrow(/group "one\/stem" is named twice, in two forms/)
})

test('rejects a name that is a tag and a group in one folder when it is selected', async () => {
  await folder.write('own/a.yaml', `${yaml('a')}tag: both\n`)
  await folder.write('own/g.yaml', 'group: both\ntask: [a]\n')
  const own = [folder.path('own')]
  expect((await resolve(['a'], own)).tasks).toEqual(['a'])
  await expect(resolve(['both'], own)).rejects.toThrow(/"both" is a tag in .*a\.yaml and a group in .*g\.yaml/)
})
