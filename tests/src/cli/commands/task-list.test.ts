import { expect, test } from 'vitest'
import { evaluate } from '../../../../src/index.js'
import type { Tools } from '../../../../src/cli/command.js'
import { listTasks, listWords, type ListKind } from '../../../../src/cli/commands/tasks/task-list.js'
import { plain } from '../../../../src/present/text/layout/paint.js'
import { temporaryFolder } from '../../../stages/input/temp-folder.js'

const folder = temporaryFolder()

/** The names of a kind that begin with `own`, as JSON. */
async function listed(kind: ListKind): Promise<readonly Record<string, unknown>[]> {
  await folder.write('t/a.yaml', 'task: own_a\ntag: own_tag\ndataset_path: a.jsonl\ndoc_to_text: q\ndoc_to_target: q\n')
  await folder.write(
    't/b.yaml',
    'task: own_b\ndataset_path: nowhere/b\ntest_split: test\ndoc_to_text: q\ndoc_to_target: q\n',
  )
  await folder.write('t/g.yaml', 'group: own_group\ntask: [own_a, own_b]\n')
  await folder.write('t/a.jsonl', '{"q":"1"}\n{"q":"2"}\n')
  const lines: string[] = []
  const terminal = {
    printData: (text: string) => void lines.push(text),
    tell: () => undefined,
    paint: { out: plain, err: plain },
  }
  const flags = { includePath: [folder.path('t')], json: true }
  await listTasks(kind, { pattern: 'own_*', flags, cacheDir: folder.path('cache') }, {
    terminal,
    env: {},
  } as unknown as Tools)
  return JSON.parse(lines.join('\n')) as Record<string, unknown>[]
}

const names = async (kind: ListKind) => (await listed(kind)).map(({ name }) => name)

test('lists names by kind, under the words that --tasks accepts', async () => {
  expect(await names('all')).toEqual(['own_a', 'own_b', 'own_group', 'own_tag'])
  expect(await names('tasks')).toEqual(['own_a', 'own_b'])
  expect(await names('groups')).toEqual(['own_group'])
  expect(await names('tags')).toEqual(['own_tag'])
  expect(Object.keys(listWords)).toEqual(['list', 'list_subtasks', 'list_groups', 'list_tags', 'list_with_num'])
})

test('counts docs of datasets that are available locally', async () => {
  expect((await listed('counted')).map(({ name, docs }) => [name, docs])).toEqual([
    ['own_a', 2],
    ['own_b', null],
  ])
})

test('reads modality, metric and source from the files, and the size from a complete run', async () => {
  await folder.write(
    's/sized.yaml',
    'task: own_sized\ndataset_path: ./rows.jsonl\ndoc_to_visual: [picture, !function utils.videoOf]\ndoc_to_text: q\ndoc_to_target: q\nmetric_list: [{metric: exact_match, name: exact}, {metric: length}]\n',
  )
  await folder.write('s/text.yaml', 'task: own_text\ndataset_path: ./rows.jsonl\ndoc_to_text: q\ndoc_to_target: q\n')
  await folder.write('s/rows.jsonl', '{"q":"1"}\n{"q":"2"}\n')
  const store = folder.path('store')
  const read = async () => {
    const lines: string[] = []
    const terminal = { printData: (text: string) => void lines.push(text), tell: () => undefined }
    const flags = { includePath: [folder.path('s')], json: true, store }
    await listTasks('tasks', { pattern: 'own_*', flags, cacheDir: folder.path('cache') }, {
      ...{ terminal: { ...terminal, paint: { out: plain, err: plain } }, env: {} },
    } as unknown as Tools)
    return JSON.parse(lines.join('\n')) as Record<string, unknown>[]
  }
  const sized = { name: 'own_sized', modality: 'image, video', metrics: ['exact', 'length'], source: './rows.jsonl' }
  expect(await read()).toMatchObject([
    { ...sized, docs: null },
    { name: 'own_text', modality: 'text', docs: null },
  ])
  const tasks = [folder.path('s/text.yaml')]
  await evaluate({ store, model: 'dummy', tasks, limit: 1 })
  expect((await read())[1]).toMatchObject({ docs: null })
  await evaluate({ store, model: 'dummy', tasks })
  expect((await read())[1]).toMatchObject({ docs: 2 })
})
