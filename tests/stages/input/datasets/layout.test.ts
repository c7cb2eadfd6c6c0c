import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { chooseFiles } from '../../../../stages/input/datasets/layout/choose-files.js'
import { globPaths } from '../../../../stages/input/datasets/layout/file-patterns.js'
import { noCard, readCard, readSplitFiles } from '../../../../stages/input/datasets/layout/repository-card.js'
import { datasetIdentity, openDataset } from '../../../../stages/input/datasets/open-dataset.js'
import { wholeDigests } from '../../../support/file-digests.js'
import { hubPlace } from '../../../support/hub-task.js'
import { temporaryFolder } from '../../../support/store.js'
import { root } from '../../../support/cli.js'

interface Layouts {
  readonly trees: readonly {
    readonly paths: readonly string[]
    readonly splits: Readonly<Record<string, readonly string[]>>
  }[]
  readonly folders: readonly {
    readonly files: Readonly<Record<string, string>>
    readonly splits: Readonly<
      Record<
        string,
        { readonly rows: readonly Readonly<Record<string, unknown>>[]; readonly names?: readonly string[] }
      >
    >
  }[]
}

const { trees, folders } = JSON.parse(
  await readFile(join(root, 'tests/golden/datasets/layouts.json'), 'utf8'),
) as Layouts

describe('files belong to the same splits as in `datasets`', () => {
  test.each(trees)('$paths', ({ paths, splits }) => {
    for (const [split, files] of Object.entries(splits)) {
      const chosen = chooseFiles({ name: 'org/set', paths, card: noCard }, { split, isOwnFolder: false })
      expect([...chosen.paths].sort()).toEqual([...files].sort())
    }
    const absent = ['train', 'validation', 'test'].filter(split => !(split in splits))
    for (const split of absent)
      expect(() => chooseFiles({ name: 'org/set', paths, card: noCard }, { split, isOwnFolder: false })).toThrow(
        `no file of the split "${split}" in org/set (it has ${Object.keys(splits).join(', ')})`,
      )
  })
})

const bytes = async (): Promise<Uint8Array> => readFile(join(root, 'examples/tinyvlm/config.json'))

describe('folders of media have the same rows as in `datasets`', () => {
  test.each(folders)('$files', async ({ files, splits }) => {
    const folder = await temporaryFolder()
    for (const [name, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), content === 'png' ? await bytes() : content)
    }
    const place = await hubPlace('http://127.0.0.1:9')
    for (const [split, { rows, names }] of Object.entries(splits)) {
      const task = await place.task(
        `dataset_path: imagefolder\ntest_split: ${split}\ndataset_kwargs: {data_dir: ${folder}}\n`,
      )
      const dataset = await openDataset(task)
      const found = []
      for await (const row of dataset.rows()) found.push(row)
      const shown = (row: Readonly<Record<string, unknown>>): unknown =>
        JSON.parse(JSON.stringify(row, (key, value: unknown) => (key === 'bytes' ? undefined : value)))
      const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
      expect(found.map(shown).sort(byText)).toEqual(rows.map(row => ({ ...row })).sort(byText))
      expect(dataset.features?.['label']).toEqual(names === undefined ? undefined : { type: 'class', names })
      const image = (found[0] as Record<string, { path: string }>)['image']
      expect(await dataset.media.locate(image!.path)).toBe(join(folder, image!.path))
    }
  })
})

test('the identity of a folder of media consists of its file names and their metadata', async () => {
  const folder = await temporaryFolder()
  const place = await hubPlace('http://127.0.0.1:9')
  const write = async (name: string, content: string): Promise<void> => {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  const identity = async () =>
    datasetIdentity(await place.task(`dataset_path: ${folder}\ntest_split: test\n`), wholeDigests)
  await write('test/a.png', 'A')
  await write('test/b.png', 'B')
  const bare = await identity()
  expect(Object.keys(bare.files)).toEqual(['names of files'])
  await write('test/metadata.csv', 'file_name,a\na.png,1\n')
  const described = await identity()
  expect(Object.keys(described.files)).toEqual(['metadata.csv', 'names of files'])
  await write('test/metadata.csv', 'file_name,a\na.png,2\n')
  expect(await identity()).not.toEqual(described)
})

test('each file of a folder of PDFs is a row, but PDFs beside tables are not', async () => {
  const folder = await temporaryFolder()
  const place = await hubPlace('http://127.0.0.1:9')
  await mkdir(join(folder, 'test'), { recursive: true })
  for (const name of ['a.pdf', 'b.pdf']) await writeFile(join(folder, 'test', name), '%PDF-1.7 /Type/Page')
  const open = async (yaml: string) => {
    const dataset = await openDataset(await place.task(`${yaml}test_split: test\n`))
    const rows = []
    for await (const row of dataset.rows()) rows.push(row)
    return { rows, features: dataset.features }
  }
  const rows = ['a', 'b'].map(name => ({ pdf: { bytes: null, path: `test/${name}.pdf` } }))
  expect(await open(`dataset_path: ${folder}\n`)).toEqual({ rows, features: { pdf: { type: 'pdf' } } })
  const named = `dataset_path: pdffolder\ndataset_kwargs: {data_dir: ${folder}}\n`
  expect((await open(named)).rows).toEqual(rows)
  await writeFile(join(folder, 'test', 'test.jsonl'), '{"q": "Who?", "paper": "a.pdf"}')
  expect((await open(`dataset_path: ${folder}\n`)).rows).toEqual([{ q: 'Who?', paper: 'a.pdf' }])
})

test.each([
  ['*.csv', ['a.csv'], ['a.csv', 'x/b.csv']],
  ['**/*.csv', ['a.csv', 'x/b.csv', 'x/y/c.csv'], ['a.csv', 'x/b.csv', 'x/y/c.csv', '.h/d.csv', '__m/e.csv']],
  ['x/**', ['x/b.csv', 'x/y/c.csv'], ['a.csv', 'x/b.csv', 'x/y/c.csv', 'x/.h']],
  ['.h/*', ['.h/d.csv'], ['.h/d.csv', 'a.csv']],
  ['t-[0-9][!0].csv', ['t-01.csv'], ['t-01.csv', 't-00.csv', 't-a1.csv']],
  ['a?b+(1).csv', ['a_b+(1).csv'], ['a_b+(1).csv', 'a/b+(1).csv']],
])('the pattern %s matches %j', (pattern, expected, paths) => {
  expect(globPaths(pattern, paths)).toEqual(expected)
})

test('data_files may be a text, a list, an object, or splits with paths', () => {
  expect(readSplitFiles('a')).toEqual({ all: ['a'] })
  expect(readSplitFiles(['a', 'b'])).toEqual({ all: ['a', 'b'] })
  expect(readSplitFiles({ test: 'a', train: ['b'] })?.bySplit).toEqual(
    new Map([
      ['test', ['a']],
      ['train', ['b']],
    ]),
  )
  expect(readSplitFiles([{ split: 'test', path: ['a', 'b'] }])?.bySplit).toEqual(new Map([['test', ['a', 'b']]]))
  for (const wrong of [3, {}, [], [1], { test: 3 }, [{ split: 'test' }]]) expect(readSplitFiles(wrong)).toBeUndefined()
})

test('decodes texts by the columns of a dataset card', async () => {
  const card = readCard(`---
dataset_info:
  features:
  - name: n
    dtype: int64
  - name: label
    dtype:
      class_label:
        names:
          '0': no
          '1': "yes"
  - name: ok
    dtype: bool
  - name: picture
    dtype: image
---
`)
  expect(card.features.get('default')).toMatchObject({ label: { type: 'class', names: ['no', 'yes'] } })
  const folder = await temporaryFolder()
  const place = await hubPlace('http://127.0.0.1:9')
  await writeFile(
    join(folder, 'README.md'),
    '---\ndataset_info:\n  features:\n  - {name: n, dtype: int64}\n  - {name: label, dtype: {class_label: {names: {"0": "cat", "1": "dog"}}}}\n  - {name: ok, dtype: bool}\n  - {name: picture, dtype: image}\n---\n',
  )
  await writeFile(join(folder, 'test.csv'), 'n,label,ok,picture,free\n1,dog,True,a.png,5\n,cat,false,b.png,\n')
  const dataset = await openDataset(await place.task(`dataset_path: ${folder}\ntest_split: test\n`))
  const rows = []
  for await (const row of dataset.rows()) rows.push(row)
  expect(rows).toEqual([
    { n: 1, label: 1, ok: true, picture: { bytes: null, path: 'a.png' }, free: 5 },
    { n: null, label: 0, ok: false, picture: { bytes: null, path: 'b.png' }, free: null },
  ])
  expect(dataset.columns.filter(({ isMedia }) => isMedia).map(({ name }) => name)).toEqual(['picture'])
})

test('reads files as the dataset card says, unless the task overrides it', async () => {
  const folder = await temporaryFolder()
  const place = await hubPlace('http://127.0.0.1:9')
  await writeFile(
    join(folder, 'README.md'),
    '---\nconfigs:\n- {config_name: default, data_dir: x, sep: ";", keep_default_na: false}\ndataset_info:\n  features:\n  - {name: f, dtype: float32}\n---\n',
  )
  await mkdir(join(folder, 'x'))
  await writeFile(join(folder, 'x', 'test.csv'), 'a;f\nNA;0.1\n')
  const rowsOf = async (kwargs = '') => {
    const dataset = await openDataset(await place.task(`dataset_path: ${folder}\ntest_split: test\n${kwargs}`))
    const rows = []
    for await (const row of dataset.rows()) rows.push(row)
    return rows
  }
  expect(await rowsOf()).toEqual([{ a: 'NA', f: Math.fround(0.1) }])
  expect(await rowsOf('dataset_kwargs: {keep_default_na: true}\n')).toEqual([{ a: null, f: Math.fround(0.1) }])
})
