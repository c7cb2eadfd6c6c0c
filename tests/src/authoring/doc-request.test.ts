import { Command } from 'commander'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sha256 } from '../../../cache/digest.js'
import type { Tools } from '../../../src/cli/command.js'
import { defineTasks } from '../../../src/cli/commands/tasks/tasks.js'
import { plain } from '../../../src/present/text/layout/paint.js'
import { temporaryFolder } from '../../support/store.js'
import { png } from '../../support/viewed-run.js'

const yaml = (more: string): string =>
  `task: q\ndataset_path: ./docs.jsonl\ndoc_to_text: "Look: {{q}}"\ndoc_to_target: a\ndoc_to_visual: image\n${more}\nmetric_list: [{metric: exact_match}]\n`

/** A task with a picture of 8 by 6 pixels, and a second version of it. */
async function scene(second = '') {
  const folder = await temporaryFolder()
  const picture = await png(8, 6)
  await writeFile(join(folder, 'a.png'), picture)
  await writeFile(
    join(folder, 'docs.jsonl'),
    '{"id":"x1","q":"What?","a":"red","image":"a.png"}\n{"id":"x2","q":"Where?","a":"here","image":"a.png"}\n',
  )
  await writeFile(join(folder, 'one.yaml'), yaml('generation_kwargs: {max_new_tokens: 8}'))
  await writeFile(join(folder, 'two.yaml'), second === '' ? yaml('generation_kwargs: {max_new_tokens: 8}') : second)
  return { folder, picture }
}

async function run(folder: string, ...words: readonly string[]): Promise<string> {
  const lines: string[] = []
  const print = (text: string | readonly string[]): void => void lines.push(...[text].flat())
  const terminal = { print, printData: print, tell: print, paint: { out: plain, err: plain } }
  const command = new Command()
  defineTasks(command, { terminal, env: {} } as unknown as Tools, () => undefined)
  await command.parseAsync([...words, '--store', join(folder, 'store')], { from: 'user' })
  return lines.join('\n')
}

test('shows a doc as the model gets it, with its picture and estimated tokens', async () => {
  const { folder, picture } = await scene()
  const text = await run(folder, 'show', join(folder, 'one.yaml'), '--doc', 'x2')
  expect(text).toContain('q/x2   index 1, 1 request')
  expect(text).toContain('Look: Where?')
  expect(text).toMatch(new RegExp(`image +8×6 +\\d+ B +${sha256(picture)}`))
  expect(text).toContain('target      "here"')
  expect(text).toMatch(/tokens {6}about \d+ in/)
})

test('finds a doc without this id by its index, and reports an unknown one', async () => {
  const { folder } = await scene()
  const file = join(folder, 'one.yaml')
  const [doc] = JSON.parse(await run(folder, 'show', file, '--doc', '0', '--json')) as readonly {
    id: string
    media: readonly { type: string; bytes: number; size: { width: number } }[]
  }[]
  expect([doc?.id, doc?.media.length, doc?.media[0]?.type, doc?.media[0]?.size.width]).toEqual(['x1', 1, 'image', 8])
  await expect(run(folder, 'show', file, '--doc', '7')).rejects.toThrow('task q has no doc "7"   (it has 2 docs)')
})

test('shows in which keys and prompt lines two tasks differ', async () => {
  const { folder } = await scene(yaml('generation_kwargs: {max_new_tokens: 16}').replace('Look:', 'See:'))
  const text = await run(folder, 'diff', join(folder, 'one.yaml'), join(folder, 'two.yaml'))
  expect(text).toContain('doc_to_text\n  - "Look: {{q}}"\n  + "See: {{q}}"')
  expect(text).toContain('generation_kwargs.max_new_tokens\n  - 8\n  + 16')
  expect(text).toMatch(/- user +Look: What\?\n- with.*\n\+ user +See: What\?/)
})

test('a task with another metric sends the same requests', async () => {
  const { folder } = await scene(
    yaml('generation_kwargs: {max_new_tokens: 8}').replace('exact_match', 'length, max: 3'),
  )
  const text = await run(folder, 'diff', join(folder, 'one.yaml'), join(folder, 'two.yaml'))
  expect(text).toContain('metric_list')
  expect(text).toContain('the requests of the doc are the same: answers are reused')
})

test('tasks with other data under the same name differ', async () => {
  const { folder } = await scene()
  const other = join(folder, 'other')
  await mkdir(other)
  for (const name of ['two.yaml', 'a.png']) await copyFile(join(folder, name), join(other, name))
  const rows = await readFile(join(folder, 'docs.jsonl'), 'utf8')
  await writeFile(join(other, 'docs.jsonl'), rows.replace('here', 'there'))
  const text = await run(folder, 'diff', join(folder, 'one.yaml'), join(other, 'two.yaml'))
  expect(text).toContain('data differ: docs.jsonl')
  expect(text).toContain('the requests of the doc are the same: its answer is reused')
})

test('a request without generation arguments shows none', async () => {
  const { folder } = await scene(yaml(''))
  expect(await run(folder, 'show', join(folder, 'two.yaml'), '--doc', 'x1')).not.toContain('with')
})

test('reports no difference between equal tasks', async () => {
  const { folder } = await scene()
  expect(await run(folder, 'diff', join(folder, 'one.yaml'), join(folder, 'two.yaml'))).toBe('q and q do not differ')
})
