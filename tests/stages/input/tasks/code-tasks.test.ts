import { expect, test } from 'vitest'
import { resolveSelection, resolveTasks } from '../../../../stages/input/tasks/resolve-tasks.js'
import { validateTaskFolder } from '../../../../stages/input/tasks/validate-folder.js'
import type { StageEvent } from '../../../../cache/events.js'
import { temporaryFolder } from '../temp-folder.js'

const folder = temporaryFolder()

const code = (name: string, more = ''): string => `
import { defineTask, rows } from 'pipeline'
export const task = defineTask({ name: '${name}', dataset: rows([{ q: 'red' }]), prompt: doc => doc.q, metrics: { any: () => 1 }, ${more} })
`
const yaml = (name: string): string => `task: ${name}\ndataset_path: d.jsonl\ndoc_to_text: q\ndoc_to_target: a\n`

async function resolve(names: readonly string[], includePaths: readonly string[] = []) {
  const notes: string[] = []
  const emit = (event: StageEvent): void => {
    if (event.type === 'note') notes.push(event.text)
  }
  const options = { includePaths, cacheDir: folder.path('cache'), emit }
  const tasks = await resolveTasks(names, options)
  return { names: tasks.map(task => task.name), tasks, notes }
}

test('a folder contains the tasks of its YAML files and of its code files', async () => {
  await folder.write('mixed/a.yaml', yaml('a'))
  await folder.write('mixed/deep/b.task.ts', code('b'))
  await folder.write('mixed/helper.ts', 'throw new Error("no task file")')
  expect((await resolve([folder.path('mixed')])).names).toEqual(['a', 'b'])
})

test('finds tasks written in code below --include-path by name, pattern and tag', async () => {
  await folder.write('own/b.task.ts', code('own_b', "tags: ['owned']"))
  await folder.write('own/c.task.mjs', code('own_c', "tags: ['owned']"))
  const own = [folder.path('own')]
  expect((await resolve(['own_c'], own)).names).toEqual(['own_c'])
  expect((await resolve(['own_*'], own)).names).toEqual(['own_b', 'own_c'])
  expect((await resolve(['owned'], own)).names).toEqual(['own_b', 'own_c'])
})

test('a task written in code replaces a built-in one of its name, with a note', async () => {
  await folder.write('over/shapes.task.ts', code('shapes_vqa'))
  const { tasks, notes } = await resolve(['shapes_vqa'], [folder.path('over')])
  expect(tasks[0]?.file).toBe(folder.path('over/shapes.task.ts'))
  expect(notes).toEqual([
    expect.stringMatching(/^task "shapes_vqa" is .*over\/shapes\.task\.ts, not tasks\/shapes_vqa/),
  ])
})

test('a file that fails to load causes a note, or explains a missing name', async () => {
  await folder.write('broken/good.task.ts', code('good'))
  await folder.write('broken/bad.task.ts', 'throw new Error("out of order")')
  const broken = [folder.path('broken')]
  const { names, notes } = await resolve(['good'], broken)
  expect({ names, notes }).toEqual({
    names: ['good'],
    notes: [expect.stringMatching(/bad\.task\.ts can't be loaded: .*out of order/)],
  })
  await expect(resolve(['bad'], broken)).rejects.toThrow(/no task "bad".*\n.*bad\.task\.ts can't be loaded/)
  await expect(resolve(broken)).rejects.toThrow(/bad\.task\.ts can't be loaded: .*out of order/)
})

test('rejects a name that a YAML file and a code file share, and names both files', async () => {
  await folder.write('twice/one.yaml', yaml('one'))
  await folder.write('twice/one.task.ts', code('one'))
  await expect(resolve([folder.path('twice')])).rejects.toThrow(
    /one\.task\.ts {2}task "one" is in two files: .*one\.yaml and .*one\.task\.ts\. Rename one\./,
  )
})

test('prefers a source file to the compiled file beside it', async () => {
  await folder.write('compiled/x.task.ts', code('x'))
  await folder.write('compiled/x.task.js', code('x'))
  const { tasks } = await resolve([folder.path('compiled')])
  expect(tasks.map(({ file }) => file)).toEqual([folder.path('compiled/x.task.ts')])
})

test('a group overrides keys of a task written in code with functions of its own', async () => {
  await folder.write('grouped/member.task.ts', code('member'))
  await folder.write('grouped/sub/utils.ts', "export const target = () => 'blue'\nexport const half = () => 0.5\n")
  await folder.write(
    'grouped/sub/all.yaml',
    'group: all\ntask: [member]\ndoc_to_target: !function utils.target\nmetric_list: [{metric: !function utils.half, name: half}]\n',
  )
  const emit = (): void => undefined
  const options = { cacheDir: folder.path('cache'), includePaths: [folder.path('grouped')], emit }
  const { tasks, groups } = await resolveSelection(['all'], options)
  expect(groups.map(({ name }) => name)).toEqual(['all'])
  const [task] = tasks
  const { doc_to_target: target, doc_to_text: prompt } = task?.config ?? {}
  expect(task?.functionOf(target as never)({})).toBe('blue')
  expect(task?.functionOf(prompt as never)({ q: 'red' })).toBe('red')
  expect(Object.keys(task?.scoring.functions ?? {})).toEqual(['!function utils.half'])
})

test('tasks validate reads code files of a folder, too', async () => {
  await folder.write('checked/a.task.ts', code('a'))
  await folder.write('checked/b.yaml', yaml('b'))
  const found = await validateTaskFolder(folder.path('checked'), { cacheDir: folder.path('cache') })
  expect({ ...found, tasks: found.tasks.map(({ name }) => name) }).toEqual({
    files: 2,
    tasks: ['b', 'a'],
    problems: [],
    notes: [],
  })
  await folder.write('checked/c.task.ts', 'export const nothing = 1')
  const { problems } = await validateTaskFolder(folder.path('checked'), { cacheDir: folder.path('cache') })
  expect(problems).toEqual([expect.stringMatching(/c\.task\.ts exports no task \(it exports nothing\)/)])
})
