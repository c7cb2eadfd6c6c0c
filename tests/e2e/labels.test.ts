import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ownTask } from '../support/own-task.js'

interface Line {
  readonly label: string | null
  readonly author: string
  readonly doc_id: string
}

test('labels can be added, listed, withdrawn, exported and imported, and appear in rescorings and other runs', async () => {
  const task = await ownTask()
  expect(await task.run(...task.line, '--limit', '4')).toMatchObject({ code: 0 })

  const added = await task.run('labels', 'add', 'last', 'mytask/q1', 'wrong', '--note', 'It is red.', '--author', 'Ada')
  expect(added).toMatchObject({ code: 0, stdout: 'Ada says that the answer of mytask/q1 is wrong\n' })
  await task.run('labels', 'add', 'last', 'mytask/q1', 'right', '--author', 'Bob')
  await task.run('labels', 'add', 'last', 'mytask/q2', 'unclear', '--author', 'Bob')
  const shown = await task.run('labels')
  expect(shown.stdout).toMatch(/wrong +mytask\/q1 +\S+ +Ada[^]*right +mytask\/q1 +\S+ +Bob[^]*unclear +mytask\/q2/)

  expect(await task.run('labels', 'remove', 'last', 'mytask/q2', '--author', 'Bob')).toMatchObject({ code: 0 })
  const twice = await task.run('labels', 'remove', 'last', 'mytask/q2', '--author', 'Bob')
  expect(twice).toMatchObject({ code: 1 })
  expect(twice.stderr).toContain('Bob has no label of mytask/q2')

  // The same answers in a larger run, and after a rescoring.
  await task.edit('mytask.yaml', 'ignore_case: true', 'ignore_case: false')
  expect(await task.run(...task.line)).toMatchObject({ code: 0 })
  const inOther = await task.run('labels', 'list', '--run', 'last', '--json')
  const listed = JSON.parse(inOther.stdout) as readonly Line[]
  expect(listed.map(({ label, author, doc_id }) => [label, author, doc_id])).toEqual([
    ['wrong', 'Ada', 'q1'],
    ['right', 'Bob', 'q1'],
  ])

  const exported = await task.run('labels', 'export')
  const lines = exported.stdout.trimEnd().split('\n')
  expect(lines.map(line => JSON.parse(line) as unknown)).toMatchObject([
    { label: 'wrong', note: 'It is red.', author: 'Ada', target: 'Blue', answer: 'blue', values: { exact_match: 1 } },
    { label: 'right', note: '', author: 'Bob', target: 'Blue', answer: 'blue' },
  ])
  const ofLast = await task.run('labels', 'export', '--run', 'last', '--csv')
  expect(ofLast.stdout).toMatch(/^label,note,author,[^]*\r\nwrong,It is red\.,Ada,[^]*\{""exact_match"":0\}/)

  const history = await task.run('labels', 'export', '--history')
  const file = join(task.folder, 'labels.jsonl')
  await writeFile(file, history.stdout)
  await task.run(...task.line, '--limit', '1', '--store', 'other')
  for (const words of ['4 labels added, 0 were here\n', '0 labels added, 4 were here\n'])
    expect(await task.run('labels', 'import', 'labels.jsonl', '--store', 'other')).toMatchObject({ stdout: words })
  expect((await task.run('labels', 'export', '--history', '--store', 'other')).stdout.split('\n')).toHaveLength(5)

  await writeFile(file, `${history.stdout}{"label": "good"}\n`)
  const refused = await task.run('labels', 'import', 'labels.jsonl')
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toContain('labels.jsonl:5  label: ')
  expect(await readFile(file, 'utf8')).toContain('good')
})

test('runs have tags, which the list shows and filters by', async () => {
  const task = await ownTask()
  for (const limit of ['1', '2']) await task.run(...task.line, '--limit', limit)
  const tagged = await task.run('runs', 'tag', 'last', 'baseline', 'paper: table 2', '--json')
  expect(JSON.parse(tagged.stdout)).toMatchObject({ tags: ['baseline', 'paper: table 2'] })
  expect((await task.run('runs', 'tag', 'last', '--remove', 'baseline')).stdout).toMatch(/^\S+: paper: table 2\n$/)
  expect((await task.run('runs')).stdout).toMatch(/tags[^]*paper: table 2/)
  expect((await task.run('runs', 'show', 'last')).stdout).toMatch(/tags +paper: table 2/)
  const found = JSON.parse((await task.run('runs', '--tag', 'paper: table 2', '--json')).stdout) as unknown[]
  expect(found).toMatchObject([{ tags: ['paper: table 2'], counts: { docs: 2 } }])
  expect((await task.run('runs', '--tag', 'none')).stdout).toBe('no run fits. All runs: pipeline runs list --all\n')
  const malformed = await task.run('runs', 'tag', 'last', '<b>')
  expect(malformed).toMatchObject({ code: 1 })
  expect(malformed.stderr).toContain('"<b>" is no tag')
})
