import { readFileSync } from 'node:fs'
import { utimes } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { NameReader, quickNames } from '../../../../stages/input/tasks/finding/task-names.js'
import { builtinTasks } from '../../../../stages/input/tasks/resolve-tasks.js'
import { yamlFiles } from '../../../../stages/input/tasks/finding/task-index.js'
import { readTopLevel } from '../../../../stages/input/tasks/yaml/yaml-file.js'
import { temporaryFolder } from '../temp-folder.js'

const folder = temporaryFolder()

const namesIn = async (text: string) => new NameReader().namesIn(await folder.write('one.yaml', text))

test.each([
  ['"task": mine\n'],
  ["'task': mine\n"],
  ['"task" : "mine"\n'],
  ["dataset_path: x\n'task':   'mine'   # a name\n"],
  ['{task: mine, dataset_path: x}\n'],
  ['{"task": "mine",\n"dataset_path": "x"}\n'],
  ['? task\n: mine\n'],
  ['  task: mine\n  dataset_path: x\n'],
  ['%YAML 1.1\n---\ntask: mine\n...\n'],
  ['---\r\ntask: mine\r\ntag: a\r\n'.replace('tag: a\r\n', '')],
  ['base: &base {task: mine}\n<<: *base\n'],
  ['name: &name mine\ntask: *name\n'],
  ['task: !!str mine\n'],
  ['task: >-\n  mine\n'],
  ['task:\n  mine\n'],
  ['description: "a text that goes on\ntask: other\n"\ntask: mine\n'],
  ["metric_list:\n  - metric: 'a\ntask: other'\ntask: mine\n"],
  ['description: |\n  task: other\n\n  "task": other\ntask: mine\n'],
  ['dataset_kwargs: {a: 1,\ntask: 2}\ntask: mine\n'],
  ['task: other\ntask: mine\n'],
  ['"t\\u0061sk": mine\n'],
])('finds the name of a task however its file is written: %j', async text => {
  expect(await namesIn(text)).toEqual({ type: 'task', name: 'mine', tags: [] })
})

test.each([
  ['group: g\ntask:\n- a\n- "b"\n', 'g', ['a', 'b']],
  ['"group": "g"\n"task": ["a", b]\n', 'g', ['a', 'b']],
  ['{group: g, task: [a, {task: b, repeats: 2}]}\n', 'g', ['a', 'b']],
])('finds the name of a group however its file is written: %j', async (text, name, members) => {
  expect(await namesIn(text)).toEqual({ type: 'group', name, members })
})

test('takes a name that is not a text as written, and finds no name in other files', async () => {
  expect(await namesIn('task: yes\n')).toMatchObject({ name: 'yes' })
  expect(await namesIn('"task": 12\n')).toMatchObject({ name: '12' })
  expect(await namesIn('task: two words\n')).toMatchObject({ name: 'two words' })
  for (const text of ['task:\n', 'task: ~\n', 'task: null\n', '', '- task: a\n', 'just text', '[task, a]\n'])
    expect(await namesIn(text)).toEqual({ type: 'nothing' })
})

test('a key __proto__ is an ordinary key and provides no name', async () => {
  const inner = '{task: other, group: g, tag: t}'
  for (const text of [
    `__proto__: ${inner}\n`,
    `"__proto__": ${inner}\n"a b": 1\n`,
    `a: &a {__proto__: ${inner}}\n<<: *a\n`,
  ]) {
    expect(await namesIn(text)).toEqual({ type: 'nothing' })
    expect(Object.keys(readTopLevel(text, 'one.yaml').values)).toContain('__proto__')
    expect(readTopLevel(text, 'one.yaml').values['task']).toBeUndefined()
  }
})

test('a broken file keeps the first word of its name', async () => {
  for (const text of ['task: mine\n  bad: : x\n', '"task": "mine\n', 'task: mine\na: [1, 2\n', 'a: b: c\ntask: mine\n'])
    expect(await namesIn(text)).toMatchObject({ type: 'task', name: 'mine' })
})

test('finds the same names without the YAML reader as with it, in all built-in tasks', () => {
  const named = ({ task, tag, group, include }: Readonly<Record<string, unknown>>) => ({ task, tag, group, include })
  let quick = 0
  for (const file of yamlFiles(builtinTasks)) {
    const text = readFileSync(file, 'utf8')
    const found = quickNames(text)
    if (found === undefined) continue
    quick += 1
    expect({ file, ...named({ ...found }) }).toEqual({ file, ...named(readTopLevel(text, file).values) })
  }
  expect(quick).toBeGreaterThan(400)
})

test('names of old files are cached until the file changes, whatever its size and time', async () => {
  const write = async (name: string): Promise<string> => {
    const file = await folder.write('old.yaml', `include: base.yaml\ntask: ${name}\n`)
    await utimes(file, 1_000_000_000, 1_000_000_000)
    return file
  }
  const base = await folder.write('base.yaml', 'tag: first\n')
  await utimes(base, 1_000_000_000, 1_000_000_000)
  const named = (file: string) => new NameReader().namesIn(file)
  const file = await write('aaa')
  expect(named(file)).toEqual({ type: 'task', name: 'aaa', tags: ['first'] })
  expect(named(file)).toEqual({ type: 'task', name: 'aaa', tags: ['first'] })
  await write('bbb')
  expect(named(file)).toEqual({ type: 'task', name: 'bbb', tags: ['first'] })
  // The file itself did not change, but what it includes did.
  await folder.write('base.yaml', 'tag: other\n')
  expect(named(file)).toEqual({ type: 'task', name: 'bbb', tags: ['other'] })
})
